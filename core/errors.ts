import type { ErrorType, Fault } from '../contract/errors.ts'

/**
 * A request that the service refuses. Each has a literal `name` (minifiers rename classes), a stable `type` that the
 * HTTP table knows, and a message that a client may read.
 */
export abstract class Refusal extends Error {
  abstract readonly type: ErrorType
  /** The faults of the request, all at once; absent where the refusal has a single cause. */
  readonly details?: readonly Fault[]
}

/** Body or query does not parse; `details` names every fault. */
export class InvalidRequest extends Refusal {
  override readonly name = 'InvalidRequest'
  override readonly type = 'invalid_request'
  override readonly details: readonly Fault[]
  constructor(faults: readonly Fault[]) {
    super(faults.length === 1 ? 'The request has a fault.' : `The request has ${faults.length} faults.`)
    this.details = shorten(faults)
  }
}

/** How many faults an answer names; the rest is counted. */
const mostFaults = 100

function shorten(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= mostFaults) return faults
  return [...faults.slice(0, mostFaults), { path: '', message: `and ${faults.length - mostFaults} more faults` }]
}

/** Key missing, malformed or wrong. One sentence for all, so that nobody learns which. */
export class Unauthorized extends Refusal {
  override readonly name = 'Unauthorized'
  override readonly type = 'unauthorized'
  constructor() {
    super('A valid API key is required: send the header "Authorization: Bearer <API_KEY>".')
  }
}

/** The key's secret was right, and the key is revoked or its organization inactive. */
export class Forbidden extends Refusal {
  override readonly name = 'Forbidden'
  override readonly type = 'forbidden'
  constructor(reason: 'key revoked' | 'organization inactive') {
    super(reason === 'key revoked' ? 'This API key is revoked.' : 'The organization of this API key is inactive.')
  }
}

/** Unknown job, another organization's job, malformed job id, expired job, unknown path: the same words for all. */
export class NotFound extends Refusal {
  override readonly name = 'NotFound'
  override readonly type = 'not_found'
  constructor() {
    super('There is nothing here for this API key.')
  }
}

/** The job is in a state that the call is not for; the message says what to do instead. */
export class Conflict extends Refusal {
  override readonly name = 'Conflict'
  override readonly type = 'conflict'
}

/** The path exists, the method does not; `allowed` goes into the `Allow` header. */
export class MethodNotAllowed extends Refusal {
  override readonly name = 'MethodNotAllowed'
  override readonly type = 'method_not_allowed'
  readonly allowed: readonly string[]
  constructor(method: string, allowed: readonly string[]) {
    super(`The method ${method} is not allowed here; allowed: ${allowed.join(', ')}.`)
    this.allowed = allowed
  }
}

/** The idempotency key stands for a search with another body. */
export class IdempotencyMismatch extends Refusal {
  override readonly name = 'IdempotencyMismatch'
  override readonly type = 'idempotency_mismatch'
  constructor() {
    super('This Idempotency-Key was sent before with another body: send that body again, or this one with another key.')
  }
}

/** The body is larger than the service reads. */
export class PayloadTooLarge extends Refusal {
  override readonly name = 'PayloadTooLarge'
  override readonly type = 'payload_too_large'
  constructor(facts: { readonly bytes: number; readonly limit: number }) {
    super(`The body has ${facts.bytes} bytes; the limit is ${facts.limit} bytes.`)
  }
}

/** The body is not declared as JSON in UTF-8. */
export class UnsupportedMediaType extends Refusal {
  override readonly name = 'UnsupportedMediaType'
  override readonly type = 'unsupported_media_type'
  constructor() {
    super('The body must be sent as "Content-Type: application/json", in UTF-8 and without content encoding.')
  }
}
