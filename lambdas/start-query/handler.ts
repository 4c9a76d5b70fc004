import type { StartQuery } from '../../core/start-query.ts'
import { startQuery } from '../../core/start-query.ts'
import { handleStep } from '../handle-step.ts'

/** Step: picks the job up, starts an attempt's query and waits for a short one. */
export function startQueryHandler(deps: StartQuery) {
  return handleStep(deps.log, (input) => startQuery(deps, input))
}
