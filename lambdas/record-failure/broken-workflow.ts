import * as v from 'valibot'
import type { JobRun } from '../../core/job/job.ts'
import type { UnexpectedError } from '../../core/workflow/record-failure.ts'
import { jobRunEntries } from '../../schema/workflow-step.ts'

/** Input from the workflow's Catch: its state with the error. */
const caught = v.object({ ...jobRunEntries, error: v.object({ Error: v.string(), Cause: v.optional(v.string(), '') }) })

/**
 * Detail of an execution's status change event, for failures that no Catch handles: its status, and its input as text.
 * Source: Step Functions developer guide, "Automating Step Functions event delivery with EventBridge".
 */
const ended = v.object({ status: v.string(), input: v.string() })

/** Parses the event of a broken workflow, from its Catch or from the status change of its execution. */
export function parseBrokenWorkflow(event: unknown): { readonly job: JobRun; readonly error: UnexpectedError } {
  const broken = v.parse(v.union([caught, ended]), event)
  if ('status' in broken) {
    const job = v.parse(v.object(jobRunEntries), JSON.parse(broken.input))
    return { job, error: { name: `execution ${broken.status}`, cause: '' } }
  }
  const { error, ...job } = broken
  return { job, error: { name: error.Error, cause: error.Cause } }
}
