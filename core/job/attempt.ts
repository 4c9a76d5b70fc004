import { createHash } from 'node:crypto'
import type { NextStep } from '../../schema/workflow-step.ts'
import { resultsPrefix } from '../../schema/workflow-step.ts'
import type { JobRun } from './job.ts'

/** Maximum number of times one statement is tried before the job fails. */
export const maxAttempts = 2

/** Ends the workflow: the job has ended, or another run has its id. */
export const end: NextStep = { next: 'end' }

/**
 * Prefix of all attempts of a run. A job id that is reused after a deletion has a different run, and so a different
 * prefix.
 */
export function runPrefix({ orgId, jobId, run }: JobRun): string {
  return `${resultsPrefix}${orgId}/${jobId}/${run}/`
}

/**
 * Prefix of the files of one attempt, which no other attempt sees. It ends in `/`, because `attempt-1` is a prefix of
 * `attempt-10`.
 */
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
