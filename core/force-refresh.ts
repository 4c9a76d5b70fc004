import type { Clock, ForcedRefreshes } from './ports.ts'
import { addSeconds } from './timestamp.ts'
import type { NextStep } from './workflow-step.ts'

export interface ForceRefresh {
  /** Over an operator's own relation `fee_schedules`. @default - loads fill the catalogue: what it lacks is not there */
  readonly refreshes?: ForcedRefreshes | undefined
  readonly now: Clock
}

/** How far apart forced refreshes begin, in seconds. Source: design, section 5, "An operator's own rates". */
const refreshGapSeconds = 60

/**
 * How often a job waits for the refreshes of others. The first wait is longer than the gap, so whoever is refused after it
 * was refused for a refresh that began later than the job looked: when the second is over, that one counts for this job too.
 */
const mostWaits = 2

/**
 * What comes next for a job whose fee schedules the catalogue lacks: one refresh, or a wait where another job has just
 * forced one.
 *
 * @param step what the step before returned
 * @returns undefined where the catalogue was refreshed for this job, or nothing refreshes it: then the job is to fail
 */
export async function forceRefresh({ refreshes, now }: ForceRefresh, step?: NextStep): Promise<NextStep | undefined> {
  if (refreshes === undefined || step?.next === 'refresh') return undefined
  const waits = step?.next === 'retry' ? (step.waits ?? 0) : 0
  if (waits === mostWaits) return undefined
  const at = now()
  if ((await refreshes.claim(at, addSeconds(at, -refreshGapSeconds))) === 'written') return { next: 'refresh' }
  return { next: 'retry', attempt: 1, waits: waits + 1, waitSeconds: refreshGapSeconds }
}
