import { mostAttempts } from './attempt.ts'
import type { EndSearch } from './end-search.ts'
import { failSearch } from './end-search.ts'
import type { Failure } from './failure.ts'
import { internalFailure, ranTooLong } from './failure.ts'
import type { JobRun } from './job.ts'
import type { Log, Queries, QueryFault } from './ports.ts'
import type { AwaitStep, NextStep } from './workflow-step.ts'
import { end } from './workflow-step.ts'

export interface WatchQuery extends EndSearch {
  readonly queries: Queries
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly log: Log
}

/** Looks come further apart as the query takes longer, up to this. */
const maxWaitMs = 5_000

/** How long the next attempt waits after a failure of Athena itself, in seconds. */
const retryWaitSeconds = 5

/** The most that an attempt waits because a service throttles, in seconds: less than the sweeper leaves a job alone. */
const maxThrottledWaitSeconds = 60

/**
 * Looks at a query until it ends or `budgetMs` is over, the last time right at the end of the budget. The waits grow, and
 * the step that goes on watching takes them over: a short query is noticed within a fraction of a second, and a long one
 * is not asked for more often than needed.
 */
export async function watchQuery(deps: WatchQuery, job: JobRun, step: AwaitStep, budgetMs: number): Promise<NextStep> {
  const { next, waitMs: firstWaitMs, ...handles } = step
  const budgetEnds = deps.now().getTime() + budgetMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(Math.round(waitMs * 1.5), maxWaitMs)) {
    const query = await deps.queries.look(handles.queryId)
    if (query.state === 'succeeded') {
      return { next: 'publish', ...handles, ...(query.manifest !== undefined && { manifest: query.manifest }) }
    }
    if (query.state === 'failed') return handleFailure(deps, job, step, query)
    const leftMs = budgetEnds - deps.now().getTime()
    if (leftMs <= 0) return { next, ...handles, waitMs }
    await deps.sleep(Math.min(waitMs, leftMs))
  }
}

async function handleFailure(
  deps: WatchQuery,
  job: JobRun,
  { next, queryId, waitMs, ...attempt }: AwaitStep,
  { fault, reason: cause }: { readonly fault: QueryFault; readonly reason: string },
): Promise<NextStep> {
  const facts = { job_id: job.jobId, query_id: queryId, attempt: attempt.attempt }
  deps.log('query failed', { ...facts, fault, cause })
  // Such a query has not been tried, and the attempts before it are as many as there are prefixes with files.
  if (fault === 'leftovers') return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, waitSeconds: 0 }
  // Waits grow with the attempts, and the job's deadline ends them.
  if (fault === 'throttled') {
    const waitSeconds = Math.min(retryWaitSeconds * 2 ** (attempt.attempt - 1), maxThrottledWaitSeconds)
    return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, waitSeconds }
  }
  const failures = (attempt.failures ?? 0) + 1
  if (fault === 'transient' && failures < mostAttempts) {
    return { next: 'retry', ...attempt, attempt: attempt.attempt + 1, failures, waitSeconds: retryWaitSeconds }
  }
  await failSearch(deps, job, describeFault(fault))
  return end
}

const narrowIt = 'Name fewer plans, or add NPIs or billing codes.'

/** What the client reads of a query that is not tried again. */
function describeFault(fault: QueryFault): Failure {
  switch (fault) {
    case 'data-limit':
      return { word: 'too_broad', sentence: `The search reads more data than one search may. ${narrowIt}` }
    case 'exhausted':
      return { word: 'too_broad', sentence: `The search needs more memory than one search gets. ${narrowIt}` }
    case 'timed-out':
      return ranTooLong
    default:
      return internalFailure
  }
}
