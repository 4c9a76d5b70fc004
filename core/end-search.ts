import type { Failure } from './failure.ts'
import { describeFailure } from './failure.ts'
import type { JobRun } from './job.ts'
import type { Clock, CountEnd, Jobs, Queries, WriteOutcome } from './ports.ts'
import { retainUntil } from './retention.ts'

export interface EndSearch {
  readonly jobs: Jobs
  readonly retentionDays: number
  readonly now: Clock
  readonly countEnd: CountEnd
}

/**
 * Records why a job failed, unless it has ended already: a terminal job never changes. Only the write that ended the job
 * counts it, so a job is counted at most once; a crash right after that write loses the count.
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
 * Records why a job failed that no step looks after any more, and stops its query, which would run on otherwise. The
 * query is read afterwards: none can be noted on a job that has ended, so the one that is read is the last. Repeated, it
 * stops a query that the call before did not come to stop.
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
