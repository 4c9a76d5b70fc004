/** A request that a local AWS endpoint refuses: the error code, HTTP status and sentence that the service would send. */
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
