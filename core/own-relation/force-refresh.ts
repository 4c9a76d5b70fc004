import type { NextStep } from '../../schema/workflow-step.ts'
import { addSeconds, type Clock } from '../time.ts'
import type { ForcedRefreshes } from './ports.ts'

export interface ForceRefresh {
  /**
   * Present if an operator's relation `fee_schedules` fills the catalogue. @default - loads fill the catalogue, so a
   * missing fee schedule does not exist
   */
  readonly refreshes?: ForcedRefreshes | undefined
  readonly now: Clock
}

/** Minimum time between the starts of forced refreshes, in seconds. */
const refreshGapSeconds = 60

/**
 * Maximum number of waits of a job for refreshes that other jobs forced. A wait is as long as the gap. So if the job is
 * refused again after the first wait, that refresh began after the job's first look; it is over after the second wait,
 * and covers this job.
 */
const maxWaits = 2

/**
 * Decides the next step of a job whose fee schedules are missing from the catalogue: force a refresh, or wait if
 * another job has just forced one.
 *
 * @param step the result of the previous step
 * @returns undefined if the catalogue was already refreshed for this job or nothing refreshes it; the job must then
 *   fail
 */
export async function forceRefresh({ refreshes, now }: ForceRefresh, step?: NextStep): Promise<NextStep | undefined> {
  if (refreshes === undefined || step?.next === 'refresh') return undefined
  const waits = step?.next === 'retry' ? (step.waits ?? 0) : 0
  if (waits === maxWaits) return undefined
  const at = now()
  if ((await refreshes.claim(at, addSeconds(at, -refreshGapSeconds))) === 'written') return { next: 'refresh' }
  return { next: 'retry', attempt: 1, waits: waits + 1, waitSeconds: refreshGapSeconds }
}
