import * as v from 'valibot'
import { AwsRefusal } from '../aws-refusal.ts'
import { type JsonOperation, startJsonEndpoint } from '../json-endpoint.ts'
import { type Execution, type Executions, openExecutions } from './executions.ts'
import type { LocalStateMachine } from './state-machine.ts'

export interface StepFunctionsOptions {
  readonly now: () => Date
  /** Called for every execution that ends. */
  readonly onEnd: (execution: Execution) => void
  /** The default, 0, picks a free port. */
  readonly port?: number
  /** Number of ended executions to remember, with their names reserved. Step Functions: 90 days. @default 10,000 */
  readonly remembered?: number
}

/**
 * Serves the Step Functions API (JSON): StartExecution, DescribeExecution, StopExecution, ListExecutions, and
 * GetExecutionHistory with the states that were entered.
 */
export async function startStepFunctions(options: StepFunctionsOptions) {
  const { now, onEnd, port = 0, remembered = 10_000 } = options
  const machines = new Map<string, LocalStateMachine>()
  const executions = openExecutions(now, onEnd, remembered)
  const operations = createOperations(machines, executions, now)

  const server = await startJsonEndpoint(operations, port)
  return {
    ...server,
    /** Adds state machines. They call functions, which call this endpoint, so they are added after it starts. */
    serve: (stateMachines: readonly LocalStateMachine[]): void => {
      for (const machine of stateMachines) machines.set(machine.arn, machine)
    },
    stopExecutions: executions.stopAll,
  }
}

const startSchema = v.object({
  stateMachineArn: v.string(),
  name: v.pipe(v.string(), v.regex(/^[\w-]{1,80}$/)),
  input: v.optional(v.string(), '{}'),
})

const executionSchema = v.object({ executionArn: v.string() })

const listSchema = v.object({ stateMachineArn: v.string(), statusFilter: v.optional(v.string()) })

function createOperations(
  machines: ReadonlyMap<string, LocalStateMachine>,
  executions: Executions,
  now: () => Date,
): Readonly<Record<string, JsonOperation>> {
  const findExecution = (arn: string) => {
    const execution = executions.find(arn)
    if (execution === undefined) throw refuse('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`)
    return execution
  }
  const listEnteredStates = (arn: string) => {
    const states = executions.listEnteredStates(arn)
    if (states === undefined) throw refuse('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`)
    return states
  }
  return {
    StartExecution: (raw) => {
      const { stateMachineArn, name, input } = v.parse(startSchema, raw)
      const machine = machines.get(stateMachineArn)
      if (machine === undefined)
        throw refuse('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`)
      const execution = executions.start(machine, name, input)
      if (execution === undefined) throw refuse('ExecutionAlreadyExists', `Execution Already Exists: '${name}'`)
      return { executionArn: execution.executionArn, startDate: execution.startDate }
    },
    DescribeExecution: (raw) => {
      const { executionArn } = v.parse(executionSchema, raw)
      return findExecution(executionArn)
    },
    GetExecutionHistory: (raw) => {
      const { executionArn } = v.parse(executionSchema, raw)
      const events = listEnteredStates(executionArn).map(({ name, type, timestamp }, index) => ({
        id: index + 1,
        timestamp,
        type: `${type}StateEntered`,
        stateEnteredEventDetails: { name },
      }))
      return { events }
    },
    StopExecution: (raw) => {
      const { executionArn } = v.parse(executionSchema, raw)
      findExecution(executionArn)
      executions.stop(executionArn)
      return { stopDate: now().getTime() / 1000 }
    },
    ListExecutions: (raw) => {
      const { stateMachineArn, statusFilter } = v.parse(listSchema, raw)
      return { executions: executions.list(stateMachineArn, statusFilter) }
    },
  }
}

const refuse = (type: string, message: string) => new AwsRefusal(400, type, message)
