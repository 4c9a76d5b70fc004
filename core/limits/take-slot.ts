import { RateLimited } from '../errors.ts'
import type { Usages } from './ports.ts'
import type { SlotClaim, Usage } from './usage.ts'
import { judgeClaim, measureAllowance } from './usage.ts'

/** Attempts to take a slot. A write loses only to another write of the organization, and then the usage is read again. */
const maxTakes = 10

/**
 * Takes a slot and a share of the rate for a new search, both or neither. A job that has a slot keeps it and takes no
 * share of the rate.
 *
 * @param seen the usage as it was read with the request
 * @throws RateLimited if either limit is reached
 */
export async function takeSlot(usages: Usages, claim: SlotClaim, seen: Usage): Promise<void> {
  let usage = seen
  for (let take = 1; take <= maxTakes; take++) {
    if (judgeClaim(usage, claim) === 'refused') break
    if ((await usages.take(claim, usage)) === 'written') return
    usage = await usages.read(claim.orgId)
  }
  const { limits, at } = claim
  throw new RateLimited(measureAllowance(usage, limits, at), nameOldest(usage))
}

/** The jobs that hold slots, the longest first. */
function nameOldest({ slots }: Usage): readonly string[] {
  return [...slots].sort(([, a], [, b]) => a.getTime() - b.getTime()).map(([jobId]) => jobId)
}
