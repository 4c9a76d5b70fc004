/** An error response of a local AWS endpoint: the error code, HTTP status and message that AWS would send. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal'
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
