import type { Failure } from './failure.ts'
import { describeFailure } from './failure.ts'
import type { JobRun } from './job.ts'
import type { Clock, Jobs, WriteOutcome } from './ports.ts'
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
