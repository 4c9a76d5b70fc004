import type { WatchQuery } from './watch-query.ts'
import { watchQuery } from './watch-query.ts'
import type { AwaitStep, NextStep, StepInput } from './workflow-step.ts'
import { end } from './workflow-step.ts'

export type AwaitQuery = WatchQuery

/** How long one turn watches a query: a long query costs a transition a minute, and no step runs longer. */
const turnMs = 50_000

/** Watches a running query until it ends or the turn is over. */
export async function awaitQuery(deps: AwaitQuery, input: StepInput & { readonly step: AwaitStep }): Promise<NextStep> {
  // One write a turn tells the sweeper that the job is watched, and tells us whether it has ended meanwhile.
  if ((await deps.jobs.touch(input, deps.now())) === 'superseded') {
    await deps.queries.stop(input.step.queryId)
    return end
  }
  return watchQuery(deps, input, input.step, turnMs)
}
