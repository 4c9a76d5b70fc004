import { describe, expect, it } from 'vitest'
import { handleStep, requireStep } from '../../lambdas/handle-step.ts'
import type { StepInput } from '../../schema/workflow-step.ts'
import { createMemoryLog } from '../doubles/memory-log.ts'

const job = { orgId: 'org', jobId: 'job', run: 'run' }

describe('a step', () => {
  it('receives its input, and logs its job and the next step', async () => {
    const { log, lines } = createMemoryLog()
    const inputs: StepInput[] = []
    const step = handleStep(log, async (input) => {
      inputs.push(input)
      return { next: 'end' }
    })
    expect(await step(job)).toEqual({ next: 'end' })
    expect(inputs).toEqual([job])
    expect(lines).toEqual([{ event: 'step taken', facts: { org_id: 'org', job_id: 'job', next: 'end' } }])
  })

  it('follows only the step that it expects', () => {
    expect(() => requireStep(job, 'await')).toThrow('this step follows "await", not "undefined"')
    expect(() => requireStep({ ...job, step: { next: 'end' } }, 'publish')).toThrow('not "end"')
  })

  it.each([
    ['without a job', {}],
    ['with a number as organization', { ...job, orgId: 7 }],
    ['with a spread of 0', { ...job, step: { next: 'retry', attempt: 1, waitSeconds: 0, spread: 0 } }],
    ['with an unknown next step', { ...job, step: { next: 'dance' } }],
    ['with a field that no step knows', { ...job, executionId: 'x' }],
    ['of null', null],
    ['of a string', 'job'],
  ])('refuses an input %s', async (_, input) => {
    const step = handleStep(createMemoryLog().log, () => Promise.resolve({ next: 'end' }))
    await expect(step(input)).rejects.toMatchObject({ name: 'ValiError' })
  })
})
