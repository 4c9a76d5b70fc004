import { StateMachine } from 'aws-local-stepfunctions'
import * as v from 'valibot'
import type { InvocationResult, RunJob } from '../peers.ts'
import type { StackTemplate } from '../stack-template.ts'

/** A state machine from the template, ready to run. */
export interface LocalStateMachine {
  readonly arn: string
  /** Starts an execution with JSON text as its input. */
  start(input: string): StartedExecution
}

export interface StartedExecution {
  readonly result: Promise<unknown>
  readonly abort: () => void
  /** The states that it has entered so far, in order. AWS bills a transition for each, and for each retry. */
  readonly enteredStates: readonly EnteredState[]
}

/** A state that an execution entered. */
export interface EnteredState {
  readonly name: string
  /** Its type in the definition, such as `Task`. */
  readonly type: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** Runs a function by its ARN. */
export type Invoke = (arn: string, event: unknown) => Promise<InvocationResult>

const definitionSchema = v.object({
  QueryLanguage: v.optional(v.literal('JSONPath')),
  States: v.record(v.string(), v.object({ Type: v.string(), Resource: v.optional(v.string(), '') })),
})

const submitJob = 'arn:aws:states:::batch:submitJob.sync'

/** Reads the template's state machines. Their tasks are versions of the template's functions, or jobs of AWS Batch. */
export function readStateMachines(
  template: StackTemplate,
  invoke: Invoke,
  runJob: RunJob = refuseJobs,
): readonly LocalStateMachine[] {
  return template.ofType('AWS::StepFunctions::StateMachine').map(({ id, properties }) => {
    const definition = JSON.parse(template.text(properties['DefinitionString']))
    // The engine silently ignores parts of JSONata states, so the schema refuses them.
    const { States } = v.parse(definitionSchema, definition)
    const machine = new StateMachine(definition, { validationOptions: { checkArn: false } })
    const tasks = Object.entries(States).filter(([, { Type }]) => Type === 'Task')
    const bind = (resource: string) => {
      if (resource === submitJob) return runJob
      const arn = findFunction(template, resource)
      return (event: unknown) => runTask(invoke, arn, event)
    }
    const handlers = tasks.map(([name, { Resource }]) => [name, bind(Resource)] as const)
    return {
      arn: template.text({ Ref: id }),
      start: (input) => {
        const stopping = new AbortController()
        const stoppableHandlers = handlers.map(([name, handle]) => [
          name,
          (event: unknown) => handle(event, stopping.signal),
        ])
        const overrides = { taskResourceLocalHandlers: Object.fromEntries(stoppableHandlers) }
        const { result, abort, eventLogs } = machine.run(JSON.parse(input), { overrides })
        const enteredStates: EnteredState[] = []
        void noteStates(eventLogs, enteredStates)
        return {
          result,
          enteredStates,
          // Step Functions ends the job of a task that is stopped.
          abort: () => {
            stopping.abort()
            abort()
          },
        }
      },
    }
  })
}

/** Adds each state that an execution enters, until it ends. */
async function noteStates(
  eventLogs: ReturnType<StateMachine['run']>['eventLogs'],
  enteredStates: EnteredState[],
): Promise<void> {
  for await (const event of eventLogs)
    if (event.type === 'StateEntered')
      enteredStates.push({ name: event.state.name, type: event.state.type, timestamp: event.timestamp / 1000 })
}

async function refuseJobs(): Promise<never> {
  throw new TypeError('jobs of AWS Batch cannot run here: no endpoint of this machine runs them')
}

/** Finds the ARN of the function whose version a task calls. */
function findFunction(template: StackTemplate, version: string): string {
  const resource = template.ofType('AWS::Lambda::Version').find(({ id }) => id === version)
  return template.text({ 'Fn::GetAtt': [template.text(resource?.properties['FunctionName']), 'Arn'] })
}

/** Invokes a function. An error has the cause that Lambda would send, so a Catch gets the same here and on AWS. */
async function runTask(invoke: Invoke, arn: string, event: unknown) {
  const result = await invoke(arn, event)
  if (result.outcome === 'returned') return JSON.parse(result.payload)
  const { errorType, errorMessage } = result
  throw Object.assign(new Error(JSON.stringify({ errorType, errorMessage })), { name: errorType })
}
