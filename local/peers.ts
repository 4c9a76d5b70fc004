/** The result of an invocation, as Lambda reports it to a caller that waits. */
export type InvocationResult =
  | { readonly outcome: 'returned'; readonly payload: string }
  | { readonly outcome: 'threw'; readonly errorType: string; readonly errorMessage: string }

/** The ways in which an execution environment can end early. */
export type EarlyEnd = 'crash' | 'time-out'

/**
 * An event of AWS or of the service, as far as rules read it.
 * Source: EventBridge User Guide, "Events in Amazon EventBridge".
 */
export interface ServiceEvent {
  readonly source: string
  readonly 'detail-type'?: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Runs a job of AWS Batch to its end. @param parameters of the task, in the form that SubmitJob takes */
export type RunJob = (parameters: unknown, stop: AbortSignal) => Promise<unknown>

/** The functions of the stack. Invocations wait until the functions have been read from the template. */
export interface FunctionCalls {
  /** @param requestId @default - a new id @throws TypeError if no function has this ARN */
  invoke(arn: string, event: unknown, requestId?: string): Promise<InvocationResult>
  /** Invokes a function by construct name. @throws TypeError if no function has this name */
  invokeByName(name: string, event: unknown): Promise<InvocationResult>
  /** Ends the environment that runs this invocation; a no-op if there is none. */
  end(requestId: string, how: EarlyEnd): void
}

/** The calls that endpoints take from each other within this process, without HTTP. */
export interface Peers {
  /** URL of the API, without a trailing slash. */
  readonly apiUrl: string
  readonly functions: FunctionCalls
  /** Sends an event to the rules of the stack. Rejects if a target did not handle it, or if the service is stopping. */
  readonly publish: (event: ServiceEvent) => Promise<void>
  /** Undefined for a stage without loads, such as that of `npm start`. */
  readonly runJob?: RunJob
}
