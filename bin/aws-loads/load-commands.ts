import { isSilent, type LoadRecord } from '../../core/loads/load-record.ts'
import { resumeLoad } from '../../loader/fleet/resume-load.ts'
import { CommandFailed } from '../command/errors.ts'
import type { Answer } from '../command/output.ts'
import type { OpenedWarehouse } from '../warehouse/open-warehouse.ts'
import { describeLoad } from './describe-load.ts'
import { describeLook, lookAtLoad, readRecord } from './look-at-load.ts'
import type { AwsLoads } from './open-aws-loads.ts'
import { describeReturn, followToEnd, settleExit } from './start-load.ts'

/** A stage with loads on AWS, and what it has loaded. */
export type OpenedLoads = OpenedWarehouse & { readonly loads: AwsLoads }

/** Shows a load, with its progress and costs if it ran on AWS. */
export async function showLoad(record: LoadRecord, { loads }: Pick<OpenedLoads, 'loads'>): Promise<Answer> {
  const look = await lookAtLoad(record, loads, new Date())
  const { progress, running, hours, costs, isDriven } = look
  const files = Object.values(progress.files).reduce((sum, each) => sum + each, 0)
  if (files === 0 && hours === 0) return { facts: { ...record }, text: describeLoad(record), wrote: false }
  // Waiting for capacity gives no sign of life.
  const shown = isDriven ? { ...record, touchedAt: look.at } : record
  const facts = { ...record, progress, containers: running, hours, costs }
  return { facts, text: `${describeLoad(shown)}\non AWS: ${describeLook(look, look)}`, wrote: false }
}

/**
 * The records as they are to be shown: a load that waits for capacity gives no sign of life, but was not killed if an
 * execution drives it.
 */
export function findWaiting(
  records: readonly LoadRecord[],
  executions: Pick<AwsLoads['executions'], 'findRunning'>,
  now: Date,
): Promise<readonly LoadRecord[]> {
  return Promise.all(
    records.map(async (record) => {
      const seemsKilled = record.endedAt === undefined && isSilent(record, now)
      const isDriven = seemsKilled && (await executions.findRunning(record.loadId)) !== undefined
      return isDriven ? { ...record, touchedAt: now } : record
    }),
  )
}

/** Follows a load until it ends or the operator leaves. */
export async function followShown({ loadId }: LoadRecord, opened: OpenedLoads): Promise<Answer> {
  const record = await followToEnd(loadId, opened)
  if (record === undefined) return { facts: { loadId }, text: loadId, wrote: false }
  const answer = await showLoad(record, opened)
  settleExit(record)
  return answer
}

/**
 * Ends a load that runs on AWS. One that is finishing ends by itself, or completes if it switches already.
 *
 * @returns undefined if it does not run there
 */
export async function cancelOnAws(
  { loadId }: LoadRecord,
  { loads, records }: OpenedLoads,
): Promise<Answer | undefined> {
  const execution = await loads.executions.findRunning(loadId)
  if (execution === undefined) return undefined
  await records.cancel(loadId)
  const containers = await loads.jobs.listContainers(loadId)
  if (containers.some(({ step, stoppedAt }) => step === 'finish' && stoppedAt === undefined)) {
    const text = `cancelling ${loadId}: it ends within a minute, or completes if it is switching already`
    return { facts: { loadId }, text, wrote: true }
  }
  await loads.executions.stop(execution)
  const cancelled = { state: 'cancelled', endedAt: new Date(), reason: 'cancelled by an operator' } as const
  if ((await records.end(loadId, cancelled)) === 'superseded') {
    return { facts: { loadId }, text: `${loadId} ended before: npm run loads -- show ${loadId}`, wrote: false }
  }
  const text = `cancelled ${loadId}: what was active stays active. To go on: npm run loads -- resume ${loadId} --stage ${loads.stage}`
  return { facts: { loadId }, text, wrote: true }
}

/**
 * Runs a load on AWS again, and follows it.
 *
 * @throws CommandFailed if it still runs
 */
export async function resumeOnAws({ loadId }: LoadRecord, workers: number, opened: OpenedLoads): Promise<Answer> {
  const { loads, records } = opened
  if ((await loads.executions.findRunning(loadId)) !== undefined)
    throw new CommandFailed(`the load ${loadId} still runs: cancel it, or wait until it has ended`)
  const now = () => new Date()
  await resumeLoad(loadId, { records, work: loads.work, now })
  await loads.executions.start(`load-${loadId}-${now().getTime()}`, { loadId, workers })
  process.stderr.write(`the load ${loadId} goes on with ${workers} workers. ${describeReturn(loadId, loads.stage)}\n`)
  return followShown(await readRecord(records, loadId), opened)
}
