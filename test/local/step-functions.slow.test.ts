import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { describe, expect, it } from 'vitest'
import type { InvocationResult } from '../../local/peers.ts'
import type { Execution } from '../../local/step-functions/executions.ts'
import { type StepFunctionsOptions, startStepFunctions } from '../../local/step-functions/server.ts'
import { type Invoke, type LocalStateMachine, readStateMachines } from '../../local/step-functions/state-machine.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { readChanged, readResources } from '../templates/test-template.ts'

const { assembly } = connectEndpoints()

/** The template's workflow, with short waits between retries. */
const impatient = readChanged(assembly, (text) =>
  text
    .replaceAll(/\\"IntervalSeconds\\":\d+/g, '\\"IntervalSeconds\\":1')
    .replaceAll('\\"BackoffRate\\":2', '\\"BackoffRate\\":1'),
)

async function openStepFunctions(
  machines: readonly LocalStateMachine[],
  options: Pick<StepFunctionsOptions, 'remembered'> = {},
) {
  const ended: Execution[] = []
  const onEnd = (execution: Execution) => void ended.push(execution)
  const server = await startStepFunctions({ now: () => new Date(), onEnd, ...options })
  server.serve(machines)
  const client = new SFNClient({ endpoint: server.url })
  const stateMachineArn = machines[0]?.arn ?? ''
  const describeExecution = (executionArn: string) => client.send(new DescribeExecutionCommand({ executionArn }))
  return {
    client,
    ended,
    stateMachineArn,
    start: async (name: string, input = '{}') => {
      const { executionArn = '' } = await client.send(new StartExecutionCommand({ stateMachineArn, name, input }))
      return executionArn
    },
    describe: describeExecution,
    awaitEnd: async (executionArn: string) => {
      const status = async () => (await describeExecution(executionArn)).status
      await expect.poll(status, { timeout: 20_000 }).not.toBe('RUNNING')
      return describeExecution(executionArn)
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}

const waiting = {
  Type: 'AWS::StepFunctions::StateMachine',
  Properties: {
    DefinitionString: JSON.stringify({
      StartAt: 'Wait',
      States: { Wait: { Type: 'Wait', SecondsPath: '$.seconds', End: true } },
    }),
  },
}

const openWaiting = (options: Pick<StepFunctionsOptions, 'remembered'> = {}) =>
  openStepFunctions(
    readStateMachines(readResources({ Waiting: waiting }), async () => returned(null)),
    options,
  )

const returned = (value: unknown): InvocationResult => ({ outcome: 'returned', payload: JSON.stringify(value) })
const threw = (errorType: string): InvocationResult => ({ outcome: 'threw', errorType, errorMessage: 'it broke' })

const long = '{"seconds": 1000}'

describe('starting an execution', () => {
  it('returns the running execution for the same name and input', async () => {
    await using service = await openWaiting()
    const [first, second] = [await service.start('one', long), await service.start('one', long)]
    expect(second).toBe(first)
    expect((await service.describe(first)).status).toBe('RUNNING')
  })

  it('fails under the name of an ended execution until that is forgotten', async () => {
    await using service = await openWaiting({ remembered: 1 })
    const running = await service.start('running', long)
    await service.awaitEnd(await service.start('first', '{"seconds": 0}'))
    await expect(service.start('first', '{"seconds": 0}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' })
    await service.awaitEnd(await service.start('second', '{"seconds": 0}'))
    await service.awaitEnd(await service.start('first', '{"seconds": 0}'))
    expect((await service.describe(running)).status).toBe('RUNNING')
  })

  it('fails under the same name with another input', async () => {
    await using service = await openWaiting()
    await service.start('one', long)
    await expect(service.start('one', '{"seconds": 999}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' })
  })

  it('fails after it has ended, even with the same input', async () => {
    await using service = await openWaiting()
    const arn = await service.start('one', '{"seconds": 0}')
    expect((await service.awaitEnd(arn)).status).toBe('SUCCEEDED')
    await expect(service.start('one', '{"seconds": 0}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' })
  })

  it('fails for an unknown state machine or an invalid name', async () => {
    await using service = await openWaiting()
    const command = new StartExecutionCommand({ stateMachineArn: `${service.stateMachineArn}x`, name: 'one' })
    await expect(service.client.send(command)).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' })
    await expect(service.start('not a name')).rejects.toThrow()
    await expect(service.start('x'.repeat(81))).rejects.toThrow()
  })
})

describe('stopping an execution', () => {
  it('aborts it and notifies listeners', async () => {
    await using service = await openWaiting()
    const executionArn = await service.start('one', long)
    await service.client.send(new StopExecutionCommand({ executionArn }))
    expect(await service.awaitEnd(executionArn)).toMatchObject({ status: 'ABORTED', stopDate: expect.any(Date) })
    expect(service.ended).toEqual([expect.objectContaining({ executionArn, status: 'ABORTED', input: long })])
  })

  it('does nothing after its end, and fails if it never existed', async () => {
    await using service = await openWaiting()
    const executionArn = await service.start('one', '{"seconds": 0}')
    await service.awaitEnd(executionArn)
    await service.client.send(new StopExecutionCommand({ executionArn }))
    expect((await service.describe(executionArn)).status).toBe('SUCCEEDED')
    const unknown = { executionArn: `${executionArn}x` }
    const stop = service.client.send(new StopExecutionCommand(unknown))
    await expect(stop).rejects.toMatchObject({ name: 'ExecutionDoesNotExist' })
    await expect(service.describe(unknown.executionArn)).rejects.toMatchObject({ name: 'ExecutionDoesNotExist' })
  })

  it('keeps it in the list under its new status', async () => {
    await using service = await openWaiting()
    const [first] = [await service.start('one', long), await service.start('two', long)]
    await service.client.send(new StopExecutionCommand({ executionArn: first }))
    await service.awaitEnd(first)
    const { stateMachineArn } = service
    const list = (statusFilter: 'RUNNING' | 'ABORTED') =>
      service.client.send(new ListExecutionsCommand({ stateMachineArn, statusFilter }))
    expect((await list('ABORTED')).executions?.map(({ name }) => name)).toEqual(['one'])
    expect((await list('RUNNING')).executions?.map(({ name }) => name)).toEqual(['two'])
  })
})

/** Runs the template's workflow with function results given by a test. */
async function openWorkflow(answer: (name: string, turn: number) => InvocationResult) {
  const calls: { readonly name: string; readonly event: unknown }[] = []
  const invoke: Invoke = async (arn, event) => {
    const name = (/function:(.+?)[0-9A-F]{8}$/.exec(arn) ?? [])[1] ?? arn
    calls.push({ name, event })
    return answer(name, calls.filter((call) => call.name === name).length)
  }
  const service = await openStepFunctions(readStateMachines(impatient, invoke))
  return { ...service, calls, names: () => calls.map(({ name }) => name) }
}

const job = { orgId: 'org', jobId: 'job', run: 'run' }

describe('the workflow', () => {
  it("follows each step's decision, and passes on the output of the previous step", async () => {
    const steps: Readonly<Record<string, InvocationResult>> = {
      StartQuery: returned({ next: 'await', queryId: 'query', attempt: 1, waitMs: 250 }),
      AwaitQuery: returned({ next: 'publish', queryId: 'query', attempt: 1 }),
      PublishResults: returned({ next: 'end' }),
    }
    await using service = await openWorkflow((name) => steps[name] ?? threw('Unexpected'))
    const arn = await service.start('one', JSON.stringify(job))
    expect((await service.awaitEnd(arn)).status).toBe('SUCCEEDED')
    expect(service.names()).toEqual(['StartQuery', 'AwaitQuery', 'PublishResults'])
    expect(service.calls[0]?.event).toEqual(job)
    const step = { next: 'publish', queryId: 'query', attempt: 1 }
    expect(service.calls[2]?.event).toEqual({ ...job, step })
  })

  it('waits and starts over if a step says so', async () => {
    const retry = { next: 'retry', attempt: 2, spread: 3, waitSeconds: 1 }
    await using service = await openWorkflow((_, turn) => returned(turn === 1 ? retry : { next: 'end' }))
    const arn = await service.start('one', JSON.stringify(job))
    expect((await service.awaitEnd(arn)).status).toBe('SUCCEEDED')
    expect(service.calls[1]?.event).toEqual({ ...job, step: retry })
  })

  it('tries a failing step four times, then records the failure once and fails', async () => {
    await using service = await openWorkflow((name) => (name === 'RecordFailure' ? returned(null) : threw('TypeError')))
    const arn = await service.start('one', JSON.stringify(job))
    expect(await service.awaitEnd(arn)).toMatchObject({
      status: 'FAILED',
      error: 'SearchBroke',
      cause: 'A step threw an unexpected error.',
    })
    expect(service.names()).toEqual(['StartQuery', 'StartQuery', 'StartQuery', 'StartQuery', 'RecordFailure'])
    const error = { Error: 'TypeError', Cause: JSON.stringify({ errorType: 'TypeError', errorMessage: 'it broke' }) }
    expect(service.calls.at(-1)?.event).toEqual({ ...job, error })
  })

  it('retries throttling for longer than any other error', async () => {
    await using service = await openWorkflow((_, turn) =>
      turn <= 6 ? threw('Lambda.TooManyRequestsException') : returned({ next: 'end' }),
    )
    const arn = await service.start('one', JSON.stringify(job))
    expect((await service.awaitEnd(arn)).status).toBe('SUCCEEDED')
    expect(service.calls).toHaveLength(7)
  })
})
