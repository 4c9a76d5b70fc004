import { createHash } from 'node:crypto'
import type { JobRun } from './job.ts'

/** Each attempt of a search writes to a separate prefix, so that no attempt sees another's files. */

/** Maximum number of times one statement is tried before the job fails. */
export const maxAttempts = 2

/** One attempt at a job's query. The workflow's steps pass it on, so that the next attempt knows what came before. */
export interface Attempt {
  /** Counted from 1, whatever the reason for the attempt. It determines the prefix and the query token. */
  readonly attempt: number
  /** Number of failed attempts at the same statement before this one; absent if none. */
  readonly failures?: number
  /** Number of partitions that the rows are spread over (see spread.ts); absent if Athena decides how to split them. */
  readonly spread?: number
}

/** Prefix of all results in their bucket; the signing role may read only here. */
export const resultsPrefix = 'results/'

/**
 * Prefix of all attempts of a run. A job id that is reused after a deletion has a different run, and so a different
 * prefix.
 */
export function runPrefix({ orgId, jobId, run }: JobRun): string {
  return `${resultsPrefix}${orgId}/${jobId}/${run}/`
}

/** Prefix of one attempt. It ends in `/`, because `attempt-1` is a prefix of `attempt-10`. */
export function attemptPrefix(job: JobRun, attempt: number): string {
  return `${runPrefix(job)}attempt-${attempt}/`
}

/**
 * Client token of an attempt's query, 64 characters, which makes starting it idempotent. The hash includes the
 * organization, because Athena returns a token's query to any caller of the account who knows the token. Source: Athena
 * API, StartQueryExecution, ClientRequestToken.
 */
export function queryToken({ orgId, jobId, run }: JobRun, attempt: number): string {
  return createHash('sha256').update([orgId, jobId, run, attempt].join('/')).digest('hex')
}
