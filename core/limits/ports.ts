import type { WriteOutcome } from '../write-outcome.ts'
import type { ByteClaim, KeyDay } from './byte-usage.ts'
import type { Claim, Counted, SlotClaim, Usage } from './usage.ts'

/** The usage of limits by organizations. Every read is strongly consistent, every write conditional. */
export interface ClaimUsages<Of extends Claim> {
  readonly counted: Counted
  read(orgId: string): Promise<Usage>
  /**
   * Takes a share of the rate, and for a search a slot, in one write, if the limits allow it at that moment. A job that
   * already has a slot takes no share; its slot then counts as taken at the claim's time.
   *
   * @param usage the usage as it was last read, which decides the form of the write
   * @returns superseded if a limit is reached, or the usage was changed since it was read
   */
  take(claim: Of, usage: Usage): Promise<WriteOutcome>
}

/** The usage by calls that need no slot: each kind has a rate of its own. */
export type RateUsages = ClaimUsages<Claim>

/** The usage by searches. */
export interface Usages extends ClaimUsages<SlotClaim> {
  /** Frees a job's slot, unless it was taken after `takenBy`: then it belongs to a later job of that id. Idempotent. */
  free(job: Pick<SlotClaim, 'orgId' | 'jobId'>, takenBy: Date): Promise<void>
}

/** The bytes of keys. Every read is strongly consistent, every write conditional. */
export interface ByteUsages {
  /** Returns the bytes that were taken on the day. */
  read(keyDay: KeyDay): Promise<number>
  /**
   * Takes bytes of a key's day in one write, if no more than `limit` are then taken.
   *
   * @returns superseded if the limit does not allow it at that moment
   */
  take(claim: ByteClaim, limit: number): Promise<WriteOutcome>
  /** Gives back what was taken. Not idempotent. */
  giveBack(claim: ByteClaim): Promise<void>
}

/** Finds organizations whose slots should be compared with their jobs; only for the sweeper. */
export interface UsageReviews {
  /** Lists up to `limit` organizations whose slots were not reviewed after `reviewedBy`, the oldest review first. */
  list(reviewedBy: Date, limit: number): Promise<readonly string[]>
  /** Notes a review; an organization without slots is listed again only once it has some. */
  noteReview(orgId: string, at: Date): Promise<void>
}
