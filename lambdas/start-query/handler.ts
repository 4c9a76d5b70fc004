import { type StartQuery, startQuery } from '../../core/workflow/start-query.ts'
import { handleStep } from '../handle-step.ts'

/** Step: picks up the job, starts an attempt's query, waits a few seconds for it, and publishes a short result. */
export function startQueryHandler(deps: StartQuery) {
  return handleStep(deps.log, (input) => startQuery(deps, input))
}
