import { type RecordFailure, recordFailure } from '../../core/workflow/record-failure.ts'
import { parseBrokenWorkflow } from './broken-workflow.ts'

/** Fails the job of a workflow that met an unexpected error. */
export function recordFailureHandler(deps: RecordFailure) {
  return async (event: unknown): Promise<void> => {
    const { job, error } = parseBrokenWorkflow(event)
    await recordFailure(deps, job, error)
  }
}
