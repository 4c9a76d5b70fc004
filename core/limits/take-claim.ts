import type { ClaimUsages } from './ports.ts'
import { RateLimited } from './rate-limited.ts'
import { type Claim, judgeClaim, measureAllowance, type Usage } from './usage.ts'

/**
 * Maximum number of attempts to take a claim. A write loses only to another write of the organization, and then the
 * usage is read again.
 */
const maxTakes = 10

/**
 * Takes the claim of a request, all or nothing: a share of the rate, and for a new search a slot. A job that has a slot
 * keeps it and takes no share of the rate.
 *
 * @param firstUsage the usage as it was read with the request, or `unused`
 * @throws RateLimited if a limit is reached
 */
export async function takeClaim<Of extends Claim>(
  usages: ClaimUsages<Of>,
  claim: Of,
  firstUsage: Usage,
): Promise<void> {
  let usage = firstUsage
  for (let take = 1; take <= maxTakes; take++) {
    if (judgeClaim(usage, claim) === 'refused') break
    if ((await usages.take(claim, usage)) === 'written') return
    usage = await usages.read(claim.orgId)
  }
  throw new RateLimited(measureAllowance(usage, claim.limits, claim.at), nameOldest(usage), usages.counted)
}

/** The jobs that hold slots, the longest first. */
function nameOldest({ slots }: Usage): readonly string[] {
  return [...slots].sort(([, a], [, b]) => a.getTime() - b.getTime()).map(([jobId]) => jobId)
}
