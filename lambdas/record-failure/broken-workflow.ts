import * as v from 'valibot'
import type { JobRun } from '../../core/job.ts'
import type { UnexpectedError } from '../../core/record-failure.ts'
import { jobSchema } from '../handle-step.ts'

export interface BrokenWorkflow {
  readonly job: JobRun
  readonly error: UnexpectedError
}

/** The workflow's own Catch: its state, with the error that a step met. */
const caught = v.object({ ...jobSchema, error: v.object({ Error: v.string(), Cause: v.optional(v.string(), '') }) })

/** An execution that ended where no Catch could see it: its status, and its input as text. */
const ended = v.object({ status: v.string(), input: v.string() })

/** Reads what is known of a workflow that broke, whoever tells. */
export function parseBrokenWorkflow(event: unknown): BrokenWorkflow {
  const broken = v.parse(v.union([caught, ended]), event)
  if ('status' in broken) {
    const job = v.parse(v.object(jobSchema), JSON.parse(broken.input))
    return { job, error: { name: `execution ${broken.status}`, cause: '' } }
  }
  const { error, ...job } = broken
  return { job, error: { name: error.Error, cause: error.Cause } }
}
