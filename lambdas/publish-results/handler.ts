import type { Log } from '../../core/log.ts'
import { type PublishResults, publishResults } from '../../core/workflow/publish-results.ts'
import { handleStep, requireStep } from '../handle-step.ts'

/** Step: checks the files that a query wrote and completes the job with them. */
export function publishResultsHandler(deps: PublishResults & { readonly log: Log }) {
  return handleStep(deps.log, (input) => publishResults(deps, requireStep(input, 'publish')))
}
