import type { Caller } from '../access/access.ts'
import type { RateUsages } from '../limits/ports.ts'
import { takeClaim } from '../limits/take-claim.ts'
import { type Limits, limitReads, unused } from '../limits/usage.ts'
import type { Clock } from '../time.ts'

export interface CountReads {
  readonly readUsages: RateUsages
  /** Default limits of an organization. */
  readonly limits: Limits
  readonly now: Clock
}

/**
 * Takes a share of the organization's rate of dear reads, for a valid request that is about to be answered. Other reads
 * cost little, and are not counted.
 *
 * @throws RateLimited if the rate is used up
 */
export async function countRead(
  { readUsages, limits: defaults, now }: CountReads,
  { orgId, limits }: Caller,
): Promise<void> {
  await takeClaim(readUsages, { orgId, at: now(), limits: limitReads({ ...defaults, ...limits }) }, unused)
}
