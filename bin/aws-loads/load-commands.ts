import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { isSilent, type LoadRecord } from '../../core/loads/load-record.ts'
import { resumeLoad } from '../../loader/fleet/ended-loads.ts'
import { describeOrigin } from '../../loader/run/load-files.ts'
import type { LoadOrder } from '../../schema/load-order.ts'
import { workerCounts } from '../../schema/load-worker.ts'
import type { Answer } from '../command/output.ts'
import { openProgress } from '../command/progress.ts'
import { onStopSignal } from '../command/run-command.ts'
import { describeLoad } from './describe-load.ts'
import { followLoad } from './follow-load.ts'
import { describeLook, lookAtLoad } from './look-at-load.ts'
import type { AwsLoads, OpenedLoads } from './open-aws-loads.ts'

/**
 * Reads `--workers` for a load on AWS.
 *
 * @throws UsageError
 */
export function readAwsWorkers(
  text: string | undefined,
  { maxWorkers, stage }: Pick<AwsLoads, 'maxWorkers' | 'stage'>,
): number {
  if (text === undefined) return Math.min(workerCounts.default, maxWorkers)
  const workers = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (workers >= workerCounts.least && workers <= maxWorkers) return workers
  throw new UsageError(
    `with --on aws, --workers must be a whole number from ${workerCounts.least} to ${maxWorkers} (loads.maxWorkers of the stage ${stage}), not "${text}"`,
  )
}

/** Stores the order of a load, starts its execution, and follows it to its end. */
export async function runOnAws(order: LoadOrder, workers: number, opened: OpenedLoads): Promise<Answer> {
  const { loads, records, work, now } = opened
  const loadId = opened.newId()
  const startedAt = now()
  await work.putOrder(loadId, order)
  await records.begin({ loadId, from: describeOrigin(order), startedAt })
  try {
    await loads.executions.start(`load-${loadId}`, { loadId, workers })
  } catch (error) {
    const reason = `its execution did not start: ${error instanceof Error ? error.message : 'unknown'}`
    await records.end(loadId, { state: 'failed', endedAt: now(), reason })
    throw error
  }
  process.stderr.write(`the load ${loadId} has started with ${workers} workers. ${describeReturn(loadId, loads)}\n`)
  return { ...(await followToEnd(loadId, opened)), wrote: true }
}

/**
 * Runs a load on AWS again, and follows it.
 *
 * @throws CommandFailed if it still runs
 */
export async function resumeOnAws({ loadId }: LoadRecord, workers: number, opened: OpenedLoads): Promise<Answer> {
  const { loads, now } = opened
  if ((await loads.executions.findRunning(loadId)) !== undefined)
    throw new CommandFailed(`the load ${loadId} is still running: cancel it, or wait until it has ended`)
  await resumeLoad(loadId, opened)
  await loads.executions.start(`load-${loadId}-${now().getTime()}`, { loadId, workers })
  process.stderr.write(`the load ${loadId} continues with ${workers} workers. ${describeReturn(loadId, loads)}\n`)
  return { ...(await followToEnd(loadId, opened)), wrote: true }
}

/**
 * Follows a load until it ends or the operator leaves; Ctrl-C leaves the load running. Sets the exit code to 3 if plans
 * or files were left out.
 *
 * @throws CommandFailed if it loaded nothing
 */
export async function followToEnd(loadId: string, opened: OpenedLoads): Promise<Answer> {
  const leaving = new AbortController()
  onStopSignal(() => leaving.abort())
  const look = async () => {
    const record = await opened.records.read(loadId)
    if (record === undefined) throw new TypeError(`the record of the load ${loadId} is gone`)
    return lookAtLoad(record, opened, new Date())
  }
  using progress = openProgress()
  const wait = (seconds: number, signal: AbortSignal) =>
    sleep(seconds * 1000, undefined, { signal }).catch(() => undefined)
  const record = await followLoad({ look, wait, progress, signal: leaving.signal })
  progress.end()
  if (record === undefined) {
    progress.say(`the load ${loadId} continues. ${describeReturn(loadId, opened.loads)}`)
    return { facts: { loadId }, text: loadId, wrote: false }
  }
  const { state, endedAt, reason = 'no reason was recorded', counts } = record
  if (endedAt === undefined)
    throw new CommandFailed(
      `the workflow of the load ${loadId} has ended, and the load has not: see its log, then npm run loads -- resume ${loadId}`,
    )
  if (state !== 'completed')
    throw new CommandFailed(`the load ${loadId} ${state === 'failed' ? 'failed' : 'was cancelled'}: ${reason}`)
  if (counts !== undefined && counts.leftOut > 0) process.exitCode = 3
  return showLoad(record, opened)
}

/** Names the commands that return to a load and that end it. */
const describeReturn = (loadId: string, { stage }: Pick<AwsLoads, 'stage'>): string =>
  `Come back: npm run loads -- show ${loadId} --follow --stage ${stage}; end it: npm run loads -- cancel ${loadId} --stage ${stage}`

/** Shows a load, with its progress and costs if it ran on AWS. */
export async function showLoad(record: LoadRecord, opened: Pick<OpenedLoads, 'work' | 'loads'>): Promise<Answer> {
  const look = await lookAtLoad(record, opened, new Date())
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
