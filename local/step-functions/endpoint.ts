import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { closeToBrowsers, listen, type RunningServer, readBody } from '../http-server.ts'
import { type Execution, Executions } from './executions.ts'
import type { LocalStateMachine } from './state-machine.ts'

export interface StepFunctionsServer extends RunningServer {
  /** Adds state machines. They call functions, which call this endpoint, so they are added after it starts. */
  serve(machines: readonly LocalStateMachine[]): void
  /** Stops running executions. */
  stopExecutions(): void
}

export interface StepFunctionsOptions {
  readonly now: () => Date
  /** Called for every execution that ends. */
  readonly onEnd: (execution: Execution) => void
  /** The default, 0, picks a free port. */
  readonly port?: number
  /** Number of ended executions to remember, with their names reserved. Step Functions: 90 days. @default 10,000 */
  readonly remembered?: number
}

interface Answer {
  readonly status: 200 | 400
  readonly body: object
}

/** Serves the Step Functions API (JSON 1.0): StartExecution, DescribeExecution, StopExecution, ListExecutions. */
export async function startStepFunctions(options: StepFunctionsOptions): Promise<StepFunctionsServer> {
  const { now, onEnd, port = 0, remembered = 10_000 } = options
  const machines = new Map<string, LocalStateMachine>()
  const executions = new Executions(now, onEnd, remembered)
  const operations = createOperations(machines, executions, now)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = String(request.headers['x-amz-target']).replace('AWSStepFunctions.', '')
    const body = (await readBody(request))?.toString() ?? ''
    const { status, body: answer } = answerRequest(operations, target, body)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer))
  }

  const listener = closeToBrowsers((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const server = await listen(listener, port)
  return {
    url: server.url,
    serve: (served) => {
      for (const machine of served) machines.set(machine.arn, machine)
    },
    stopExecutions: () => executions.stopAll(),
    close: () => server.close(),
  }
}

type Operations = Readonly<Record<string, (input: unknown) => Answer>>

function answerRequest(operations: Operations, target: string, body: string): Answer {
  const operation = Object.hasOwn(operations, target) ? operations[target] : undefined
  if (operation === undefined) return refuse('UnknownOperationException', `${target} is not supported on this machine`)
  try {
    return operation(JSON.parse(body))
  } catch (error) {
    return refuse('ValidationException', error instanceof Error ? error.message : 'the request cannot be read')
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
): Operations {
  return {
    StartExecution: (raw) => {
      const { stateMachineArn, name, input } = v.parse(startSchema, raw)
      const machine = machines.get(stateMachineArn)
      if (machine === undefined)
        return refuse('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`)
      const execution = executions.start(machine, name, input)
      if (execution === undefined) return refuse('ExecutionAlreadyExists', `Execution Already Exists: '${name}'`)
      return { status: 200, body: { executionArn: execution.executionArn, startDate: execution.startDate } }
    },
    DescribeExecution: (raw) => {
      const { executionArn } = v.parse(executionSchema, raw)
      const execution = executions.find(executionArn)
      return execution === undefined ? unknownExecution(executionArn) : { status: 200, body: execution }
    },
    StopExecution: (raw) => {
      const { executionArn } = v.parse(executionSchema, raw)
      if (executions.find(executionArn) === undefined) return unknownExecution(executionArn)
      executions.stop(executionArn)
      return { status: 200, body: { stopDate: now().getTime() / 1000 } }
    },
    ListExecutions: (raw) => {
      const { stateMachineArn, statusFilter } = v.parse(listSchema, raw)
      return { status: 200, body: { executions: executions.list(stateMachineArn, statusFilter) } }
    },
  }
}

const unknownExecution = (arn: string) => refuse('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`)

function refuse(type: string, message: string): Answer {
  return { status: 400, body: { __type: type, message } }
}
