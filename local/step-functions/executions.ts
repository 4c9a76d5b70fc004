import type { EnteredState, LocalStateMachine } from './state-machine.ts'

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'

/** An execution in the form of DescribeExecution; times are seconds since 1970. */
export interface Execution {
  readonly executionArn: string
  readonly stateMachineArn: string
  readonly name: string
  readonly input: string
  readonly startDate: number
  readonly status: ExecutionStatus
  readonly stopDate?: number
  readonly output?: string
  readonly error?: string
  readonly cause?: string
}

export type Executions = ReturnType<typeof openExecutions>

/**
 * Opens the running and recently ended executions of this process. They are kept in memory: when the service stops,
 * running executions and all names are lost.
 *
 * @param onEnd called for every execution that ends
 * @param remembered number of ended executions to remember, with their names reserved
 */
export function openExecutions(now: () => Date, onEnd: (execution: Execution) => void, remembered: number) {
  const executions = new Map<string, Execution>()
  const aborts = new Map<string, () => void>()
  const enteredStates = new Map<string, readonly EnteredState[]>()
  const endedArns: string[] = []
  const seconds = () => now().getTime() / 1000

  const end = ({ executionArn, ...execution }: Execution, outcome: Partial<Execution>) => {
    aborts.delete(executionArn)
    const endedExecution = { ...execution, executionArn, ...outcome, stopDate: seconds() }
    executions.set(executionArn, endedExecution)
    endedArns.push(executionArn)
    const forgottenArn = endedArns.length > remembered ? endedArns.shift() : undefined
    if (forgottenArn !== undefined) {
      executions.delete(forgottenArn)
      enteredStates.delete(forgottenArn)
    }
    onEnd(endedExecution)
  }

  return {
    /** Returns the states that an execution has entered so far; undefined if there is no such execution. */
    listEnteredStates: (executionArn: string): readonly EnteredState[] | undefined => enteredStates.get(executionArn),

    find: (executionArn: string): Execution | undefined => executions.get(executionArn),

    list: (stateMachineArn: string, status: string | undefined): readonly Execution[] =>
      [...executions.values()].filter(
        (execution) =>
          execution.stateMachineArn === stateMachineArn && (status === undefined || execution.status === status),
      ),

    /**
     * Starts an execution. Idempotent for the same name and input while it runs.
     * Source: Step Functions API, StartExecution.
     *
     * @returns undefined if the name is taken
     */
    start(machine: LocalStateMachine, name: string, input: string): Execution | undefined {
      const executionArn = `${machine.arn.replace(':stateMachine:', ':execution:')}:${name}`
      const namesake = executions.get(executionArn)
      if (namesake !== undefined)
        return namesake.status === 'RUNNING' && namesake.input === input ? namesake : undefined
      const { result, abort, enteredStates: states } = machine.start(input)
      const identity = { executionArn, stateMachineArn: machine.arn, name, input }
      const execution: Execution = { ...identity, startDate: seconds(), status: 'RUNNING' }
      executions.set(executionArn, execution)
      aborts.set(executionArn, abort)
      enteredStates.set(executionArn, states)
      result.then(
        (output) => end(execution, { status: 'SUCCEEDED', output: JSON.stringify(output) }),
        (error: unknown) => end(execution, describeFailure(error)),
      )
      return execution
    },

    /** Aborts a running execution; a no-op if it has ended. */
    stop: (executionArn: string): void => aborts.get(executionArn)?.(),

    stopAll(): void {
      for (const abort of aborts.values()) abort()
    },
  }
}

/**
 * Reads the error that a state failed with, which the engine wraps. The engine's own error names mean that the
 * execution was ended from outside.
 */
function describeFailure(error: unknown): Pick<Execution, 'status'> & Partial<Execution> {
  const failure = error instanceof Error ? error : new Error(String(error))
  if (failure.name === 'ExecutionAbortedError') return { status: 'ABORTED' }
  if (failure.name === 'ExecutionTimeoutError') return { status: 'TIMED_OUT', error: 'States.Timeout' }
  const { name, message } = failure.cause instanceof Error ? failure.cause : failure
  return { status: 'FAILED', error: name, cause: message }
}
