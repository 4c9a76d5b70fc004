import { awaitQuery } from '../../core/workflow/await-query.ts'
import type { WatchQuery } from '../../core/workflow/watch-query.ts'
import { handleStep, requireStep } from '../handle-step.ts'

/** Step: watches a running query for up to a minute. */
export function awaitQueryHandler(deps: WatchQuery) {
  return handleStep(deps.log, (input) => awaitQuery(deps, requireStep(input, 'await')))
}
