import type { Log } from '../../core/ports.ts'
import type { StartQuery } from '../../core/start-query.ts'
import { startQuery } from '../../core/start-query.ts'
import { handleStep } from '../handle-step.ts'

/** Step: picks the job up and starts an attempt's query. */
export function startQueryHandler(deps: StartQuery & { readonly log: Log }) {
  return handleStep(deps.log, (input) => startQuery(deps, input))
}
