import type { AwaitStep, NextStep, StepInput } from '../../schema/workflow-step.ts'
import { end } from '../job/attempt.ts'
import { type WatchQuery, watchQuery } from './watch-query.ts'

/** Milliseconds for which one turn watches a query: it bounds a step, and costs one state transition a minute. */
const turnMs = 50_000

/** Watches a running query until it ends or the turn is over. */
export async function awaitQuery(deps: WatchQuery, input: StepInput & { readonly step: AwaitStep }): Promise<NextStep> {
  // One write per turn tells the sweeper that the job is active, and tells us if it has ended in the meantime.
  if ((await deps.jobs.touch(input, deps.now())) === 'superseded') {
    await deps.queries.stop(input.step.queryId)
    return end
  }
  return watchQuery(deps, input, input.step, turnMs)
}
