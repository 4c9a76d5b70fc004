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
