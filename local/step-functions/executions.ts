import type { LocalStateMachine } from './state-machine.ts'

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'

/** An execution as DescribeExecution shows it; times in epoch seconds. */
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

/**
 * The running and recently ended executions of this process. They are kept in memory: when the service stops, running
 * executions and all names are lost.
 */
export class Executions {
  readonly #now: () => Date
  readonly #executions = new Map<string, Execution>()
  readonly #aborts = new Map<string, () => void>()
  readonly #ended: string[] = []
  readonly #onEnd: (execution: Execution) => void
  readonly #remembered: number

  /**
   * @param onEnd called for every execution that ends
   * @param remembered number of ended executions to remember, with their names reserved
   */
  constructor(now: () => Date, onEnd: (execution: Execution) => void, remembered: number) {
    this.#now = now
    this.#onEnd = onEnd
    this.#remembered = remembered
  }

  find(executionArn: string): Execution | undefined {
    return this.#executions.get(executionArn)
  }

  list(stateMachineArn: string, status: string | undefined): readonly Execution[] {
    return [...this.#executions.values()].filter(
      (execution) =>
        execution.stateMachineArn === stateMachineArn && (status === undefined || execution.status === status),
    )
  }

  /**
   * Starts an execution. Idempotent for the same name and input while it runs.
   * Source: Step Functions API, StartExecution.
   *
   * @returns undefined if the name is taken
   */
  start(machine: LocalStateMachine, name: string, input: string): Execution | undefined {
    const executionArn = `${machine.arn.replace(':stateMachine:', ':execution:')}:${name}`
    const known = this.#executions.get(executionArn)
    if (known !== undefined) return known.status === 'RUNNING' && known.input === input ? known : undefined
    const { result, abort } = machine.start(input)
    const execution: Execution = {
      executionArn,
      stateMachineArn: machine.arn,
      name,
      input,
      startDate: this.#seconds(),
      status: 'RUNNING',
    }
    this.#executions.set(executionArn, execution)
    this.#aborts.set(executionArn, abort)
    result.then(
      (output) => this.#end(execution, { status: 'SUCCEEDED', output: JSON.stringify(output) }),
      (error: unknown) => this.#end(execution, describeFailure(error)),
    )
    return execution
  }

  /** Aborts a running execution; a no-op if it has ended. */
  stop(executionArn: string): void {
    this.#aborts.get(executionArn)?.()
  }

  stopAll(): void {
    for (const abort of this.#aborts.values()) abort()
  }

  #end({ executionArn, ...execution }: Execution, outcome: Partial<Execution>): void {
    this.#aborts.delete(executionArn)
    const ended = { ...execution, executionArn, ...outcome, stopDate: this.#seconds() }
    this.#executions.set(executionArn, ended)
    this.#ended.push(executionArn)
    const forgotten = this.#ended.length > this.#remembered ? this.#ended.shift() : undefined
    if (forgotten !== undefined) this.#executions.delete(forgotten)
    this.#onEnd(ended)
  }

  #seconds(): number {
    return this.#now().getTime() / 1000
  }
}

/**
 * The engine wraps the error that a state failed with. Its own error names mean that the execution was ended from
 * outside.
 */
function describeFailure(error: unknown): Pick<Execution, 'status'> & Partial<Execution> {
  const failure = error instanceof Error ? error : new Error(String(error))
  if (failure.name === 'ExecutionAbortedError') return { status: 'ABORTED' }
  if (failure.name === 'ExecutionTimeoutError') return { status: 'TIMED_OUT', error: 'States.Timeout' }
  const { name, message } = failure.cause instanceof Error ? failure.cause : failure
  return { status: 'FAILED', error: name, cause: message }
}
