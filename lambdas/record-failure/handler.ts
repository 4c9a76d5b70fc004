import type { RecordFailure } from '../../core/record-failure.ts'
import { recordFailure } from '../../core/record-failure.ts'
import { parseBrokenWorkflow } from './broken-workflow.ts'

/** Ends the job of a workflow that met an error no step expected. */
export function recordFailureHandler(deps: RecordFailure) {
  return async (event: unknown): Promise<void> => {
    const { job, error } = parseBrokenWorkflow(event)
    await recordFailure(deps, job, error)
  }
}
