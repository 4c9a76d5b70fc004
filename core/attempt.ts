import { createHash } from 'node:crypto'
import type { JobRun } from './job.ts'

/** Every attempt of a search writes to a prefix of its own, so that none meets another's leftovers. */

/** How often one statement is tried before the job fails. */
export const mostAttempts = 2

/** One attempt at a job's query: what the steps hand on, so that the next attempt knows what came before. */
export interface Attempt {
  /** Counted from 1, whatever led to it. Each attempt has a prefix and a query token of its own. */
  readonly attempt: number
  /** How many attempts at the same statement failed before it; absent: none. */
  readonly failures?: number
  /** Over how many partitions the rows are spread, see spread.ts; absent: they are cut as Athena cuts them. */
  readonly spread?: number
}

/** Where the results of all jobs are, in their bucket. The signing role may read here and nowhere else. */
export const resultsPrefix = 'results/'

/** The prefix of all attempts of a job's run. An id that comes back after its job was deleted has another. */
export function runPrefix({ orgId, jobId, run }: JobRun): string {
  return `${resultsPrefix}${orgId}/${jobId}/${run}/`
}

/** The prefix that one attempt writes to, ending in `/`: without it, `attempt-1` would be a prefix of `attempt-10`. */
export function attemptPrefix(job: JobRun, attempt: number): string {
  return `${runPrefix(job)}attempt-${attempt}/`
}

/**
 * The token that makes starting an attempt's query idempotent: 64 characters. It is hashed from the organization too,
 * because Athena gives any caller in the account who knows a token the query that was started with it.
 * Source: Athena API, StartQueryExecution, ClientRequestToken.
 */
export function queryToken({ orgId, jobId, run }: JobRun, attempt: number): string {
  return createHash('sha256').update([orgId, jobId, run, attempt].join('/')).digest('hex')
}
