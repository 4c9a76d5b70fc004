import type { Clock, CountEnd, Jobs, Queries, WriteOutcome } from '../ports.ts'
import type { Failure } from './failure.ts'
import { describeFailure } from './failure.ts'
import type { JobRun } from './job.ts'
import { retainUntil } from './retention.ts'

export interface EndSearch {
  readonly jobs: Jobs
  readonly retentionDays: number
  readonly now: Clock
  readonly countEnd: CountEnd
}

/**
 * Fails a job unless it has already ended; a terminal job never changes. Only the write that ends the job counts it, so
 * a job is counted at most once. A crash right after that write loses the count.
 */
export async function failSearch(
  { jobs, retentionDays, now, countEnd }: EndSearch,
  { orgId, jobId, run }: JobRun,
  failure: Failure,
): Promise<WriteOutcome> {
  const failedAt = now()
  const outcome = await jobs.fail(
    { orgId, jobId, run, failedAt, error: describeFailure(failure) },
    retainUntil(failedAt, retentionDays),
  )
  if (outcome === 'written') countEnd({ jobId, word: failure.word })
  return outcome
}

/**
 * Fails a job that no step handles any more, and stops its query. The query is read after the job is ended: none can be
 * noted on an ended job, so it is the last one. A repeated call stops a query that the previous call did not.
 */
export async function failAbandonedSearch(
  deps: EndSearch & { readonly queries: Pick<Queries, 'stop'> },
  run: JobRun,
  failure: Failure,
): Promise<void> {
  await failSearch(deps, run, failure)
  const job = await deps.jobs.read(run)
  if (job?.run === run.run && job.status === 'failed' && job.query !== undefined)
    await deps.queries.stop(job.query.queryId)
}
