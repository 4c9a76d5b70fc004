import { isTerminal } from '../job/job.ts'
import type { JobHolders } from '../job/ports.ts'
import type { UsageReviews, Usages } from '../limits/ports.ts'
import { addSeconds, type Clock } from '../time.ts'

export interface FreeSlots {
  readonly usages: Usages
  readonly reviews: UsageReviews
  readonly holders: JobHolders
  readonly now: Clock
}

/** Seconds after which a slot without a running job is free again. A request stores its job within 30 seconds. */
const slotGraceSeconds = 300

/** Organizations reviewed per sweep, the longest unreviewed first. */
const reviewedAtOnce = 50

/**
 * Frees slots that were taken five minutes ago and whose job is absent or has ended: a request died before it stored
 * its job, or the slot outlived it. Safe to run concurrently.
 *
 * @returns the number of freed slots
 */
export async function freeSlots(deps: FreeSlots): Promise<number> {
  const now = deps.now()
  const organizations = await deps.reviews.list(addSeconds(now, -slotGraceSeconds), reviewedAtOnce)
  const freed = await Promise.all(organizations.map((orgId) => freeSlotsOf(deps, orgId, now)))
  return freed.reduce((sum, count) => sum + count, 0)
}

async function freeSlotsOf({ usages, reviews, holders }: FreeSlots, orgId: string, now: Date): Promise<number> {
  const { slots } = await usages.read(orgId)
  // A clock that ran ahead must not keep its slots longer than others.
  const stale = [...slots].filter(
    ([, takenAt]) => Math.abs(now.getTime() - takenAt.getTime()) > slotGraceSeconds * 1000,
  )
  const jobs = await holders.readHolders(stale.map(([jobId]) => ({ orgId, jobId })))
  const running = new Set(jobs.filter(({ status }) => !isTerminal(status)).map(({ jobId }) => jobId))
  const leftovers = stale.filter(([jobId]) => !running.has(jobId))
  for (const [jobId, takenAt] of leftovers) await usages.free({ orgId, jobId }, takenAt)
  await reviews.noteReview(orgId, now)
  return leftovers.length
}
