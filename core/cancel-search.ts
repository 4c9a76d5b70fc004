import type { PresentedKey } from './api-key.ts'
import type { EndSearch } from './end-search.ts'
import { failSearch } from './end-search.ts'
import { Conflict, NotFound } from './errors.ts'
import type { Failure } from './failure.ts'
import { hasFailedFor } from './failure.ts'
import type { FailedJob, Job } from './job.ts'
import { isTerminal } from './job.ts'
import type { ReadOwnJob } from './own-job.ts'
import { readOwnJob } from './own-job.ts'
import type { Log, Queries } from './ports.ts'

export interface CancelSearch extends ReadOwnJob, EndSearch {
  readonly queries: Pick<Queries, 'stop'>
  readonly log: Log
}

/** What clients read of a job that they cancelled. */
const cancelled: Failure = { word: 'cancelled', sentence: 'The search was cancelled on request.' }

/**
 * Ends a job that its organization no longer wants, queued or processing, and stops its query. The job is ended first:
 * from then on no step begins a query for it, and one that has just begun one stops it (design section 6). Asked again,
 * it gives the same job, and stops a query that the call before did not come to stop.
 *
 * @throws Unauthorized, Forbidden, NotFound
 * @throws Conflict where the job ended otherwise, by itself or before this call came to it
 */
export async function cancelSearch(deps: CancelSearch, key: PresentedKey, jobId: string): Promise<FailedJob> {
  const job = await readOwnJob(deps, key, jobId)
  const ended = isTerminal(job.status) ? job : await endJob(deps, job)
  if (ended.status !== 'failed' || !hasFailedFor('cancelled', ended.error))
    throw new Conflict(`The search has ${ended.status} already; there is nothing to cancel.`)
  await stopQuery(deps, ended)
  return ended
}

/**
 * Fails the job unless it ends otherwise meanwhile. What it came to is read afterwards: no query can be noted on a job
 * that has ended, so the one that is read is the last.
 */
async function endJob(deps: CancelSearch, job: Job): Promise<Job> {
  await failSearch(deps, job, cancelled)
  const ended = await deps.jobs.read(job)
  // Deleted meanwhile; an id that has come back is another job.
  if (ended?.run !== job.run) throw new NotFound()
  return ended
}

/** As well as may be: the job has ended, and the next step that looks at it stops the query too. */
async function stopQuery({ queries, log }: CancelSearch, { jobId, query }: FailedJob): Promise<void> {
  if (query === undefined) return
  const [stopped] = await Promise.allSettled([queries.stop(query.queryId)])
  if (stopped.status === 'rejected')
    log('query not stopped', { job_id: jobId, query_id: query.queryId, cause: String(stopped.reason) })
}
