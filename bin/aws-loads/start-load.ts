import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadRecord } from '../../core/loads/load-record.ts'
import type { LoadRecords } from '../../core/loads/ports.ts'
import { describeOrigin } from '../../loader/run/load-files.ts'
import type { LoadOrder } from '../../schema/load-order.ts'
import { workerCounts } from '../../schema/load-worker.ts'
import { CommandFailed, UsageError } from '../command/errors.ts'
import { newOpaqueId } from '../command/opaque-id.ts'
import type { Answer } from '../command/output.ts'
import { describeLoad } from './describe-load.ts'
import { followLoad } from './follow-load.ts'
import { lookAtLoad, readRecord } from './look-at-load.ts'
import type { AwsLoads } from './open-aws-loads.ts'

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
    `with --on aws, --workers must be a number from ${workerCounts.least} to ${maxWorkers} (loads.maxWorkers of the stage ${stage}), not "${text}"`,
  )
}

/**
 * Stores the order of a load and starts its execution.
 *
 * @returns the load's id
 */
async function startLoad(
  order: LoadOrder,
  workers: number,
  { loads, records }: { loads: AwsLoads; records: LoadRecords },
): Promise<string> {
  const loadId = newOpaqueId()
  const startedAt = new Date()
  await loads.work.putOrder(loadId, order)
  await records.begin({ loadId, from: describeOrigin(order), startedAt })
  try {
    await loads.executions.start(`load-${loadId}`, { loadId, workers })
  } catch (error) {
    const reason = `its execution did not start: ${error instanceof Error ? error.message : 'unknown'}`
    await records.end(loadId, { state: 'failed', endedAt: new Date(), reason })
    throw error
  }
  return loadId
}

/**
 * Follows a load until it ends or the operator leaves; Ctrl-C leaves the load running.
 *
 * @returns undefined if the operator left
 */
export async function followToEnd(
  loadId: string,
  { loads, records }: { loads: AwsLoads; records: LoadRecords },
): Promise<LoadRecord | undefined> {
  const leaving = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort())
  const record = await followLoad({
    look: async () => lookAtLoad(await readRecord(records, loadId), loads, new Date()),
    wait: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }).catch(() => undefined),
    output: process.stderr,
    signal: leaving.signal,
  })
  if (record === undefined) process.stderr.write(`the load ${loadId} goes on. ${describeReturn(loadId, loads.stage)}\n`)
  return record
}

/** How to come back to a load, and how to end it. */
export const describeReturn = (loadId: string, stage: string): string =>
  `Come back: npm run loads -- show ${loadId} --follow --stage ${stage}; end it: npm run loads -- cancel ${loadId} --stage ${stage}`

/**
 * Sets the exit code of a load that is over: 3 if something was left out.
 *
 * @throws CommandFailed if it loaded nothing
 */
export function settleExit({ loadId, state, endedAt, reason = 'no reason was recorded', counts }: LoadRecord): void {
  if (endedAt === undefined)
    throw new CommandFailed(
      `the workflow of the load ${loadId} has ended, and the load has not: see its log, then npm run loads -- resume ${loadId}`,
    )
  if (state !== 'completed')
    throw new CommandFailed(`the load ${loadId} ${state === 'failed' ? 'failed' : 'was cancelled'}: ${reason}`)
  if (counts !== undefined && counts.leftOut > 0) process.exitCode = 3
}

/** Starts a load and follows it to its end. */
export async function runOnAws(
  order: LoadOrder,
  workers: number,
  opened: { loads: AwsLoads; records: LoadRecords },
): Promise<Answer> {
  const { stage } = opened.loads
  const loadId = await startLoad(order, workers, opened)
  process.stderr.write(`the load ${loadId} has started with ${workers} workers. ${describeReturn(loadId, stage)}\n`)
  const record = await followToEnd(loadId, opened)
  if (record === undefined) return { facts: { loadId }, text: loadId, wrote: true }
  settleExit(record)
  return { facts: { ...record }, text: describeLoad(record), wrote: true }
}
