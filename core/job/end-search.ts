import { describeFailure, type Failure } from '../failure.ts'
import type { Queries } from '../search/ports.ts'
import type { Clock } from '../time.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import type { CompletedJob, JobRun } from './job.ts'
import type { CountEnd, Jobs } from './ports.ts'
import { retainUntil } from './retention.ts'
import { type SettleSearch, trySettleSearch } from './settle-search.ts'

export interface EndSearch extends SettleSearch {
  readonly jobs: Jobs
  readonly retentionDays: number
  readonly now: Clock
  readonly countEnd: CountEnd
}

/**
 * Completes a job unless it has already ended. Only the write that ends a job counts it, so a job is counted at most
 * once; a crash right after that write loses the count, but not the announcement.
 */
export async function completeSearch(deps: EndSearch, job: CompletedJob): Promise<void> {
  const outcome = await deps.jobs.complete(job, retainUntil(job.completedAt, deps.retentionDays))
  if (outcome === 'superseded') return
  deps.countEnd({ jobId: job.jobId, word: 'completed' })
  await trySettleSearch(deps, job, job)
}

/** Fails a job unless it has already ended; a terminal job never changes. Counts it as `completeSearch` does. */
export async function failSearch(
  deps: EndSearch,
  { orgId, jobId, run }: JobRun,
  failure: Failure,
): Promise<WriteOutcome> {
  const { jobs, retentionDays, now, countEnd } = deps
  const failedAt = now()
  const outcome = await jobs.fail(
    { orgId, jobId, run, failedAt, error: describeFailure(failure) },
    retainUntil(failedAt, retentionDays),
  )
  if (outcome === 'superseded') return outcome
  countEnd({ jobId, word: failure.word })
  await trySettleSearch(deps, { orgId, jobId, run })
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
