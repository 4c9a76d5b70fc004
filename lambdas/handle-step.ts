import * as v from 'valibot'
import type { Log } from '../core/log.ts'
import { type NextStep, type StepInput, stepInputSchema } from '../schema/workflow-step.ts'

/** Wraps a workflow step as a Lambda handler: parses its input and logs which step comes next. */
export function handleStep(log: Log, takeStep: (input: StepInput) => Promise<NextStep>) {
  return async (event: unknown): Promise<NextStep> => {
    const input = v.parse(stepInputSchema, event)
    const next = await takeStep(input)
    log('step taken', { org_id: input.orgId, job_id: input.jobId, next: next.next })
    return next
  }
}

/** Checks that a step follows the step it must follow. */
export function requireStep<Next extends NextStep['next']>(input: StepInput, next: Next) {
  if (!isStep(input.step, next)) throw new TypeError(`this step follows "${next}", not "${input.step?.next}"`)
  return { ...input, step: input.step }
}

function isStep<Next extends NextStep['next']>(
  step: NextStep | undefined,
  next: Next,
): step is Extract<NextStep, { next: Next }> {
  return step?.next === next
}
