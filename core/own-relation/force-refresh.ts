import type { NextStep } from '../../schema/workflow-step.ts'
import { addSeconds, type Clock } from '../time.ts'
import type { ForcedRefreshes, RefreshUse } from './ports.ts'

export interface ForceRefresh {
  /**
   * Present if an operator's relation `fee_schedules` fills the catalogue. @default - loads fill the catalogue, so a
   * missing fee schedule does not exist
   */
  readonly refreshes?: ForcedRefreshes | undefined
  readonly now: Clock
}

/** Minimum time between the starts of forced refreshes, in seconds, after which a refresh counts as over. */
const refreshGapSeconds = 60

/**
 * The allowance of forced refreshes of a stage: a few in quick succession, because a new plan is often searched for
 * after a typing error or two, and then as many as the timer makes by default. Each refresh is a query that the
 * operator pays for, and any client can name a plan that does not exist.
 */
const allowance = { burst: 5, refillSeconds: 900 } as const

/** Maximum number of forced refreshes within 24 hours. */
export const maxForcedRefreshesADay = allowance.burst + 86_400 / allowance.refillSeconds

/**
 * Maximum number of waits of a job for refreshes. A wait is as long as the gap. The allowance permits a refresh after
 * `refillSeconds` at the latest. If other jobs force it, it is over two waits later.
 */
const maxWaits = allowance.refillSeconds / refreshGapSeconds + 2

/**
 * Decides the next step of a job whose fee schedules are missing from the catalogue: force a refresh, or wait until the
 * allowance permits one or another job's refresh is over.
 *
 * @param step the result of the previous step
 * @returns undefined if the catalogue was refreshed after the job's first look, or nothing refreshes it; the job must
 *   then fail
 */
export async function forceRefresh({ refreshes, now }: ForceRefresh, step?: NextStep): Promise<NextStep | undefined> {
  if (refreshes === undefined || step?.next === 'refresh') return undefined
  const waits = step?.next === 'retry' ? (step.waits ?? 0) : 0
  if (waits === maxWaits) return undefined
  const at = now()
  const use = await refreshes.read()
  if (use !== undefined && isRefreshedSince(use, at, waits)) return undefined
  const nextUse = spend(use, at)
  if (nextUse !== undefined && (await refreshes.write(nextUse, use)) === 'written') return { next: 'refresh' }
  return { next: 'retry', attempt: 1, waits: waits + 1, waitSeconds: refreshGapSeconds }
}

/**
 * Returns true if a refresh began after the job's first look and is over. Waits last a little longer than the gap, so
 * the first look was at this time or earlier.
 */
function isRefreshedSince({ forcedAt }: RefreshUse, at: Date, waits: number): boolean {
  const firstLook = addSeconds(at, -waits * refreshGapSeconds)
  return forcedAt > firstLook && forcedAt <= addSeconds(at, -refreshGapSeconds)
}

/**
 * Takes one refresh of the allowance. Source: ATM Forum, "Traffic Management Specification 4.1", the generic cell rate
 * algorithm (GCRA).
 *
 * @returns the use after a refresh at `at`; undefined if none may be forced yet
 */
function spend(use: RefreshUse | undefined, at: Date): RefreshUse | undefined {
  const { burst, refillSeconds } = allowance
  if (use === undefined) return { forcedAt: at, refilledAt: addSeconds(at, refillSeconds) }
  const isTooSoon = use.forcedAt > addSeconds(at, -refreshGapSeconds)
  const isUsedUp = use.refilledAt > addSeconds(at, (burst - 1) * refillSeconds)
  if (isTooSoon || isUsedUp) return undefined
  const from = use.refilledAt > at ? use.refilledAt : at
  return { forcedAt: at, refilledAt: addSeconds(from, refillSeconds) }
}
