import type { Attempt } from './attempt.ts'
import { mostAttempts } from './attempt.ts'
import type { EndSearch } from './end-search.ts'
import { failSearch } from './end-search.ts'
import type { Failure } from './failure.ts'
import { internalFailure, ranTooLong } from './failure.ts'
import type { Log, Queries, QueryFault } from './ports.ts'
import type { AwaitStep, NextStep, StepInput } from './workflow-step.ts'
import { end } from './workflow-step.ts'

export interface AwaitQuery extends EndSearch {
  readonly queries: Queries
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly log: Log
}

/** How long one turn may look after a query: long queries cost one transition a minute, and no step runs longer. */
const turnMs = 50_000

/** Looks come further apart as the query takes longer, up to this. */
const longestWaitMs = 5_000

/** How long the next attempt waits after a failure of Athena itself, in seconds. */
const retryWaitSeconds = 5

/** The most that an attempt waits because a service throttles, in seconds: less than the sweeper leaves a job alone. */
const maxThrottledWaitSeconds = 60

/**
 * Looks after a running query until it ends or the turn is over. The wait grows from turn to turn, so a short query is
 * noticed within a fraction of a second and a long one is not asked after more than needed.
 */
export async function awaitQuery(deps: AwaitQuery, input: StepInput & { readonly step: AwaitStep }): Promise<NextStep> {
  const { next, queryId, waitMs: firstWaitMs, ...attempt } = input.step
  // One write a turn tells the sweeper that somebody looks after the job, and tells us whether it has ended meanwhile.
  if ((await deps.jobs.touch(input, deps.now())) === 'superseded') {
    await deps.queries.stop(queryId)
    return end
  }
  const turnEnds = deps.now().getTime() + turnMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
    const query = await deps.queries.look(queryId)
    if (query.state === 'succeeded') {
      return { next: 'publish', queryId, ...attempt, ...(query.manifest !== undefined && { manifest: query.manifest }) }
    }
    if (query.state === 'failed') return handleFailure(deps, input, attempt, query)
    if (deps.now().getTime() + waitMs > turnEnds) return { next, queryId, ...attempt, waitMs: Math.round(waitMs) }
    await deps.sleep(waitMs)
  }
}

async function handleFailure(
  deps: AwaitQuery,
  input: StepInput & { readonly step: AwaitStep },
  attempt: Attempt,
  query: { readonly fault: QueryFault; readonly reason: string },
): Promise<NextStep> {
  const { fault, reason: cause } = query
  const facts = { job_id: input.jobId, query_id: input.step.queryId, attempt: attempt.attempt }
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
  await failSearch(deps, input, describeFault(fault))
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
