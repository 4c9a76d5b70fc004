import { DescribeExecutionCommand, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import type { JobRun } from '../../core/job/job.ts'
import { executionName } from '../../core/job/job.ts'
import { startStepFunctions } from '../../local/step-functions/endpoint.ts'
import { newJob, otherRun } from '../builders/new-job.ts'
import { refuse, startHttpStub } from '../doubles/http-stub.ts'
import { connectEndpoints } from '../endpoints/connect.ts'

const { stateMachineArn } = connectEndpoints()

const executionArn = (job: JobRun) =>
  `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${executionName(job)}`

const describeExecution = (client: SFNClient, job: JobRun) =>
  client.send(new DescribeExecutionCommand({ executionArn: executionArn(job) }))

/** Step Functions with a state machine whose executions run until they are stopped. */
async function openPatientWorkflow() {
  const server = await startStepFunctions({ now: () => new Date(), onEnd: () => {} })
  const start = () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const aborted = Object.assign(new Error('stopped'), { name: 'ExecutionAbortedError' })
    return { result: promise, abort: () => reject(aborted) }
  }
  server.serve([{ arn: stateMachineArn, start }])
  const client = new SFNClient({ endpoint: server.url })
  const workflow = createSfnWorkflow(stateMachineArn, client)
  return { workflow, client, [Symbol.asyncDispose]: () => server.close() }
}

describe('starting a workflow', () => {
  it('passes only the ids of the job and its run', async () => {
    const job = newJob()
    expect(await createSfnWorkflow(stateMachineArn).start(job)).toEqual({ outcome: 'started' })
    const { input, name } = await describeExecution(new SFNClient({}), job)
    expect(JSON.parse(input ?? '')).toEqual({ orgId: job.orgId, jobId: job.jobId, run: job.run })
    expect(name).toBe(executionName(job))
  })

  it('is idempotent while the execution of that name runs', async () => {
    await using patient = await openPatientWorkflow()
    const job = newJob()
    expect(await patient.workflow.start(job)).toEqual({ outcome: 'started' })
    expect(await patient.workflow.start(job)).toEqual({ outcome: 'started' })
    expect(await patient.workflow.isRunning(job)).toBe(true)
  })

  it('reports a name whose execution has ended as taken', async () => {
    await using patient = await openPatientWorkflow()
    const job = newJob()
    await patient.workflow.start(job)
    await patient.client.send(new StopExecutionCommand({ executionArn: executionArn(job) }))
    await expect.poll(() => patient.workflow.isRunning(job)).toBe(false)
    expect(await patient.workflow.start(job)).toEqual({ outcome: 'name-taken' })
    expect(await patient.workflow.start(otherRun(job))).toEqual({ outcome: 'started' })
  })

  it.each(['ThrottlingException', 'AccessDeniedException', 'StateMachineDoesNotExist', 'InternalFailure'])(
    'reports %s as not started instead of throwing',
    async (name) => {
      await using stub = await startHttpStub(() => refuse(400, name))
      const workflow = createSfnWorkflow(stateMachineArn, new SFNClient({ endpoint: stub.url, maxAttempts: 1 }))
      expect(await workflow.start(newJob())).toEqual({ outcome: 'not-started', cause: name })
    },
  )

  it('reports an unreachable endpoint as not started, with the cause', async () => {
    const stub = await startHttpStub(() => ({ status: 200, body: '{}' }))
    await stub[Symbol.asyncDispose]()
    const workflow = createSfnWorkflow(stateMachineArn, new SFNClient({ endpoint: stub.url, maxAttempts: 2 }))
    const start = await workflow.start(newJob())
    expect(start).toEqual({ outcome: 'not-started', cause: expect.stringMatching(/^\w+$/) })
  })
})

describe('checking whether a workflow runs', () => {
  it('fails if there never was one', async () => {
    await expect(createSfnWorkflow(stateMachineArn).isRunning(newJob())).rejects.toThrow('Execution Does Not Exist')
  })
})
