import type { SearchBody } from '../../contract/search-api.ts'
import { isTerminal } from '../../core/job/job.ts'
import { findWrongEnd, type KnownSearch } from './known-searches.ts'
import type { StoredJob } from './stored-jobs.ts'

/** Rules that hold once the jobs of a harness have ended, whatever happened to them before. */

/** A search that a client has sent and followed. */
export interface FollowedSearch {
  readonly known: KnownSearch
  /** From the answer 202; absent until it arrives. */
  jobId?: string
  /** Its end, as last seen. */
  end?: SearchBody
  /** True if the client deletes it after its end. */
  readonly isShortLived: boolean
  /** True once it is deleted. */
  isGone?: boolean
}

/**
 * Compares what a client saw with the promise, for the searches that it keeps: the end and each of its rows.
 *
 * @returns the violations, one line each
 */
export async function findWrongEnds(followed: readonly FollowedSearch[]): Promise<readonly string[]> {
  const faults: string[] = []
  for (const { known, jobId, end, isShortLived } of followed) {
    const wrong = isShortLived ? undefined : await findWrongEnd(known, end)
    if (wrong !== undefined) faults.push(`job ${jobId} ${wrong}`)
  }
  return faults
}

/**
 * Compares what the service has stored with the promise: every search was accepted, has ended and was announced, the
 * deleted ones are gone, and no other job is stored.
 *
 * @param stored the jobs of the client's organization
 * @param unannounced the ids of jobs whose end was not announced
 * @returns the violations, one line each
 */
export function findWrongStores(
  followed: readonly FollowedSearch[],
  stored: readonly Pick<StoredJob, 'job_id' | 'status'>[],
  unannounced: readonly string[],
): readonly string[] {
  const faults = unannounced.map((jobId) => `the end of job ${jobId} was never announced`)
  const storedIds = new Set(stored.map(({ job_id }) => job_id))
  for (const { jobId, end, isShortLived, isGone } of followed) {
    if (jobId === undefined) faults.push('a search was never accepted')
    else if (end === undefined) faults.push(`job ${jobId} did not end`)
    else if (isShortLived && isGone !== true) faults.push(`job ${jobId} could not be deleted`)
    else if (!isShortLived && !storedIds.has(jobId)) faults.push(`job ${jobId} is not stored`)
  }
  const kept = new Set(followed.flatMap(({ jobId, isGone }) => (isGone === true ? [] : [jobId])))
  for (const { job_id, status } of stored) {
    if (!isTerminal(status)) faults.push(`job ${job_id} is stored as ${status}`)
    if (!kept.has(job_id))
      faults.push(`job ${job_id} is stored, but its client deleted it or never got it under its key`)
  }
  return faults
}
