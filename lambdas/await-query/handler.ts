import { type AwaitQuery, awaitQuery } from '../../core/workflow/await-query.ts'
import { handleStep, requireStep } from '../handle-step.ts'

/** Step: watches a running query for up to a minute, or looks at it once. */
export function awaitQueryHandler(deps: AwaitQuery) {
  return handleStep(deps.log, (input) => awaitQuery(deps, requireStep(input, 'await')))
}
