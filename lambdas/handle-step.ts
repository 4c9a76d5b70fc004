import * as v from 'valibot'
import type { NextStep, StepInput } from '../core/job/workflow-step.ts'
import type { Log } from '../core/ports.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(1))
const attempt = { attempt: count, failures: v.exactOptional(count), spread: v.exactOptional(count) }

const nextStepSchema = v.variant('next', [
  v.object({ next: v.literal('await'), queryId: v.string(), ...attempt, waitMs: v.number() }),
  v.object({ next: v.literal('retry'), ...attempt, waitSeconds: v.number(), waits: v.exactOptional(count) }),
  v.object({ next: v.literal('refresh') }),
  v.object({ next: v.literal('publish'), queryId: v.string(), ...attempt, manifest: v.exactOptional(v.string()) }),
  v.object({ next: v.literal('end') }),
])

/** Identifies a job and its run in every event of the workflow. */
export const jobSchema = { orgId: v.string(), jobId: v.string(), run: v.string() }

const inputSchema = v.object({ ...jobSchema, step: v.exactOptional(nextStepSchema) })

/** Wraps a workflow step as a Lambda handler: parses its input and logs which step comes next. */
export function handleStep(log: Log, takeStep: (input: StepInput) => Promise<NextStep>) {
  return async (event: unknown): Promise<NextStep> => {
    const input = parseStepInput(event)
    const next = await takeStep(input)
    log('step taken', { org_id: input.orgId, job_id: input.jobId, next: next.next })
    return next
  }
}

/** Parses a step's input. */
export function parseStepInput(event: unknown): StepInput {
  return v.parse(inputSchema, event)
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
