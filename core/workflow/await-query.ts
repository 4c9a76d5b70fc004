import type { AwaitStep, NextStep, StepInput } from '../../schema/workflow-step.ts'
import { end } from '../job/attempt.ts'
import { type WatchQuery, watchQuery } from './watch-query.ts'

export interface AwaitQuery extends WatchQuery {
  /** Time for which one turn watches a query, in milliseconds; 0 to look once, if the workflow waits between looks. */
  readonly queryTurnMs: number
}

/** Watches a running query until it ends or the turn is over. */
export async function awaitQuery(deps: AwaitQuery, input: StepInput & { readonly step: AwaitStep }): Promise<NextStep> {
  // One write per turn tells the sweeper that the job is active, and tells us if it has ended in the meantime.
  if ((await deps.jobs.touch(input, deps.now())) === 'superseded') {
    await deps.queries.stop(input.step.queryId)
    return end
  }
  return watchQuery(deps, input, input.step, deps.queryTurnMs)
}
