/** The ports of limits. Each has one contract suite in test/adapters. */

import type { AccessRecord } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import type { JobHolder, JobKey } from '../job/job.ts'
import type { WriteOutcome } from '../ports.ts'
import type { Claim, SlotClaim, Usage } from './usage.ts'

/** Looks up what creating a search needs, so that it costs one round trip. */
export interface CreationLookup {
  /** @param jobId of the request's idempotency key; absent: the job id is new */
  lookUp(
    key: PresentedKey,
    jobId: string | undefined,
  ): Promise<{ readonly access: AccessRecord; readonly usage: Usage; readonly holder?: EndingHolder }>
}

/** A stored job, with the time of its end if it has ended. */
export type EndingHolder = JobHolder & { readonly endedAt?: Date }

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
  free(job: JobKey, takenBy: Date): Promise<void>
}

/** Finds organizations whose slots should be compared with their jobs; only for the sweeper. */
export interface UsageReviews {
  /** Lists up to `limit` organizations with slots that were not reviewed after `reviewedBy`, the longest first. */
  list(reviewedBy: Date, limit: number): Promise<readonly string[]>
  /** Notes a review; an organization without slots is listed again only once it has some. */
  noteReview(orgId: string, at: Date): Promise<void>
}

/** Reads what jobs have in every state, many at once and strongly consistent. */
export interface JobHolders {
  /** Leaves out jobs that do not exist. */
  readHolders(keys: readonly JobKey[]): Promise<readonly JobHolder[]>
}
