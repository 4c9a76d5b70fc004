import type { PresentedKey } from '../access/api-key.ts'
import type { AccessRecord } from '../access/ports.ts'
import type { Job, JobHolder, Shard } from '../job/job.ts'
import type { Usage } from '../limits/usage.ts'

/** Looks up a job together with the caller's access, so that a poll costs one round trip. */
export interface JobLookup<Found extends Job = Job> {
  lookUp(key: PresentedKey, jobId: string): Promise<{ readonly access: AccessRecord; readonly job?: Found }>
}

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

export interface SignedUrls {
  readonly urls: readonly string[]
  /** When the URLs expire: one hour from now, or earlier if the credentials that signed them do. */
  readonly expiresAt: Date
}

/** A row of a result by column: amounts as texts with all of their digits, dates as `YYYY-MM-DD`. */
export type ResultRow = Readonly<Record<string, string | number | null | readonly (string | null)[]>>

export interface ResultRows {
  /**
   * Reads rows of a result in the order of its files, within limits of bytes and time.
   *
   * @param columns of the result; NULL in files that lack one
   * @param room characters of JSON for the rows; reading ends at the row that exceeds them
   * @returns `limit` rows; fewer if the result has no more, or if they cannot be read within the limits
   */
  readFirst(
    shards: readonly Shard[],
    columns: readonly string[],
    limit: number,
    room: number,
  ): Promise<readonly ResultRow[]>
}

/** Signs download URLs. Anyone who has one can read that file until it expires. */
export interface UrlSigner {
  sign(shards: readonly (Pick<Shard, 'key'> & { readonly fileName: string })[]): Promise<SignedUrls>
}
