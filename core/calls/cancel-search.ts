import type { PresentedKey } from '../access/api-key.ts'
import { Conflict, NotFound } from '../errors.ts'
import { type Failure, hasFailedFor } from '../failure.ts'
import { type EndSearch, failSearch } from '../job/end-search.ts'
import { type FailedJob, isTerminal, type Job } from '../job/job.ts'
import type { Log } from '../log.ts'
import type { Queries } from '../search/ports.ts'
import { type ReadCallersJob, readCallersJob } from './callers-job.ts'

export interface CancelSearch extends ReadCallersJob, EndSearch {
  readonly queries: Pick<Queries, 'stop'>
  readonly log: Log
}

const cancelled: Failure = { word: 'cancelled', sentence: 'The search was cancelled on request.' }

/**
 * Cancels a queued or processing job and stops its query. The job is ended first: after that no step starts a query for
 * it, and a step that has just started one stops it. Idempotent: a repeated call returns the same job and stops its
 * query if the previous call did not.
 *
 * @throws Unauthorized, Forbidden, NotPermitted, NotFound
 * @throws Conflict if the job ended in another way before this call took effect
 */
export async function cancelSearch(deps: CancelSearch, key: PresentedKey, jobId: string): Promise<FailedJob> {
  const job = await readCallersJob(deps, key, jobId, 'cancel-search')
  const ended = isTerminal(job.status) ? job : await endJob(deps, job)
  if (ended.status !== 'failed' || !hasFailedFor('cancelled', ended.error))
    throw new Conflict(`The search has already ${ended.status}; there is nothing to cancel.`)
  await stopQuery(deps, ended)
  return ended
}

/**
 * Fails the job unless it has ended in another way. The query is read afterwards: no query can be noted on an ended
 * job, so this is the last one.
 */
async function endJob(deps: CancelSearch, job: Job): Promise<Job> {
  await failSearch(deps, job, cancelled)
  const ended = await deps.jobs.read(job)
  // The job was deleted in the meantime; another run under this id is another job.
  if (ended?.run !== job.run) throw new NotFound()
  return ended
}

/** Best effort: the job has ended, and the next step that sees this also stops the query. */
async function stopQuery({ queries, log }: CancelSearch, { jobId, query }: FailedJob): Promise<void> {
  if (query === undefined) return
  const [stopped] = await Promise.allSettled([queries.stop(query.queryId)])
  if (stopped.status === 'rejected')
    log('query not stopped', { job_id: jobId, query_id: query.queryId, cause: String(stopped.reason) })
}
