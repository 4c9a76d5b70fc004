import type { IncomingMessage, ServerResponse } from 'node:http'

/** An error response of a local AWS endpoint: the error code, HTTP status and message that AWS would send. */
export class AwsRefusal extends Error {
  override readonly name: string = 'AwsRefusal'
  readonly status: number
  readonly code: string
  /** More fields of a response in JSON. */
  readonly facts: object
  constructor(status: number, code: string, message: string, facts: object = {}) {
    super(message)
    this.status = status
    this.code = code
    this.facts = facts
  }
}

/**
 * Chooses the refusal of a request that failed. Drains the rest of its body first: otherwise a client that is still
 * sending would get a connection reset.
 *
 * @param unexpected the answer of AWS to its own errors
 * @returns undefined if the connection is gone or an answer has begun
 */
export function chooseRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  unexpected: AwsRefusal,
): AwsRefusal | undefined {
  request.resume()
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return undefined
  }
  if (error instanceof AwsRefusal) return error
  if (error instanceof Error && request.errored === null) process.emitWarning(error)
  return unexpected
}
