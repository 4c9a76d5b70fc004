import type { WriteOutcome } from '../write-outcome.ts'
import type { Claim, SlotClaim, Usage } from './usage.ts'

/** What organizations use of limits. Every read is strongly consistent, every write conditional. */
export interface ClaimUsages<Of extends Claim> {
  read(orgId: string): Promise<Usage>
  /**
   * Takes a share of the rate, and for a search a slot, in one write, if the limits allow it then. A job that has a slot
   * has it taken again, at the claim's time, and takes no share.
   *
   * @param seen what was read before, which chooses the form of the write
   * @returns superseded if a limit is reached, or the usage was changed since it was read
   */
  take(claim: Of, seen: Usage): Promise<WriteOutcome>
}

/** What estimates use: a rate of their own, so that they take nothing from searches. */
export type EstimateUsages = ClaimUsages<Claim>

/** What searches use. */
export interface Usages extends ClaimUsages<SlotClaim> {
  /** Frees a job's slot, unless it was taken after `takenBy`: then it belongs to a later job of that id. Idempotent. */
  free(job: Pick<SlotClaim, 'orgId' | 'jobId'>, takenBy: Date): Promise<void>
}

/** Finds organizations whose slots should be compared with their jobs; only for the sweeper. */
export interface UsageReviews {
  /** Lists up to `limit` organizations with slots that were not reviewed after `reviewedBy`, the longest first. */
  list(reviewedBy: Date, limit: number): Promise<readonly string[]>
  /** Notes a review; an organization without slots is listed again only once it has some. */
  noteReview(orgId: string, at: Date): Promise<void>
}
