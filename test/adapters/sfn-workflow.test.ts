import { DescribeExecutionCommand, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import { executionName, type JobRun } from '../../core/job/job.ts'
import type { WatchedWorkflow } from '../../core/workflow/ports.ts'
import { startStepFunctions } from '../../local/step-functions/server.ts'
import { newJob, otherRun } from '../builders/new-job.ts'
import { refuse, startHttpStub } from '../doubles/http-stub.ts'
import { createMemoryWorkflow } from '../doubles/memory-ports.ts'
import { connectEndpoints } from '../endpoints/connect.ts'

const { stateMachineArn } = connectEndpoints()

const executionArn = (job: JobRun) =>
  `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${executionName(job)}`

const describeExecution = (client: SFNClient, job: JobRun) =>
  client.send(new DescribeExecutionCommand({ executionArn: executionArn(job) }))

interface OpenWorkflow extends AsyncDisposable {
  readonly workflow: WatchedWorkflow
  /** Ends the execution of a job. */
  readonly end: (job: JobRun) => Promise<void>
}

/** Opens Step Functions with a state machine whose executions run until they are stopped. */
async function openStepFunctions(): Promise<OpenWorkflow> {
  const server = await startStepFunctions({ now: () => new Date(), onEnd: () => {} })
  const start = () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const aborted = Object.assign(new Error('stopped'), { name: 'ExecutionAbortedError' })
    return { result: promise, abort: () => reject(aborted), enteredStates: [] }
  }
  server.serve([{ arn: stateMachineArn, start }])
  const client = new SFNClient({ endpoint: server.url })
  const workflow = createSfnWorkflow(stateMachineArn, client)
  return {
    workflow,
    end: async (job) => {
      await client.send(new StopExecutionCommand({ executionArn: executionArn(job) }))
      await expect.poll(() => workflow.isRunning(job)).toBe(false)
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** Opens the double in tests of the core. */
async function openMemory(): Promise<OpenWorkflow> {
  const workflow = createMemoryWorkflow()
  return {
    workflow,
    end: async (job) => void workflow.executions.set(executionName(job), 'ended'),
    [Symbol.asyncDispose]: async () => {},
  }
}

describe.each(Object.entries({ 'Step Functions': openStepFunctions, memory: openMemory }))(
  'a workflow in %s',
  (_, open) => {
    it('starts once while the execution of its name runs', async () => {
      await using setup = await open()
      const job = newJob()
      expect(await setup.workflow.start(job)).toEqual({ outcome: 'started' })
      expect(await setup.workflow.start(job)).toEqual({ outcome: 'started' })
      expect(await setup.workflow.isRunning(job)).toBe(true)
    })

    it('starts no second time under a name whose execution has ended', async () => {
      await using setup = await open()
      const job = newJob()
      await setup.workflow.start(job)
      await setup.end(job)
      expect(await setup.workflow.isRunning(job)).toBe(false)
      expect(await setup.workflow.start(job)).toEqual({ outcome: 'name-taken' })
      expect(await setup.workflow.start(otherRun(job))).toEqual({ outcome: 'started' })
    })

    it('cannot be watched if it was never started', async () => {
      await using setup = await open()
      await expect(setup.workflow.isRunning(newJob())).rejects.toThrow('Execution Does Not Exist')
    })
  },
)

describe('starting a workflow in Step Functions', () => {
  it('passes only the ids of the job and its run', async () => {
    const job = newJob()
    expect(await createSfnWorkflow(stateMachineArn).start(job)).toEqual({ outcome: 'started' })
    const { input, name } = await describeExecution(new SFNClient({}), job)
    expect(JSON.parse(input ?? '')).toEqual({ orgId: job.orgId, jobId: job.jobId, run: job.run })
    expect(name).toBe(executionName(job))
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
