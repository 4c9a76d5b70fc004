import type { Failure } from './failure.ts'
import { describeFailure } from './failure.ts'
import type { JobRun } from './job.ts'
import type { Clock, Jobs, Queries, WriteOutcome } from './ports.ts'
import { retainUntil } from './retention.ts'

export interface EndSearch {
  readonly jobs: Jobs
  readonly retentionDays: number
  readonly now: Clock
}

/** Records why a job failed, unless it has ended already: a terminal job never changes. */
export function failSearch(
  { jobs, retentionDays, now }: EndSearch,
  { orgId, jobId, run }: JobRun,
  failure: Failure,
): Promise<WriteOutcome> {
  const failedAt = now()
  return jobs.fail(
    { orgId, jobId, run, failedAt, error: describeFailure(failure) },
    retainUntil(failedAt, retentionDays),
  )
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
