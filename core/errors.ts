import type { ErrorType, Fault } from '../contract/errors.ts'
import { notFoundMessage } from '../contract/errors.ts'

/**
 * A request that the service refuses. Each has a literal `name` (minifiers rename classes), a stable `type` that the
 * HTTP table knows, and a message that a client may read.
 */
export abstract class Refusal extends Error {
  abstract readonly type: ErrorType
  /** The faults of the request, all at once; absent where the refusal has a single cause. */
  readonly details?: readonly Fault[]
}

/** Body or query does not parse; `details` names every fault, and the message the first. */
export class InvalidRequest extends Refusal {
  override readonly name = 'InvalidRequest'
  override readonly type = 'invalid_request'
  override readonly details: readonly Fault[]
  constructor(faults: readonly Fault[]) {
    super(summarise(faults))
    this.details = shorten(faults)
  }
}

/** Enough for a reader who logs the message only: the first fault, and how many more there are. */
function summarise([first, ...others]: readonly Fault[]): string {
  const { path, message } = first ?? { path: '', message: 'the request is not valid' }
  const fault = path === '' ? message : `${path}: ${message}`
  if (others.length === 0) return /[.?]$/.test(fault) ? fault : `${fault}.`
  return `${fault} (and ${others.length} more ${others.length === 1 ? 'fault' : 'faults'}, see details).`
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

const forbidden = {
  'key revoked': 'This API key is revoked.',
  'organization inactive': 'The organization of this API key is inactive.',
} as const

/** The key's secret was right, and the key is revoked or its organization inactive. */
export class Forbidden extends Refusal {
  override readonly name = 'Forbidden'
  override readonly type = 'forbidden'
  constructor(reason: keyof typeof forbidden) {
    super(forbidden[reason])
  }
}

/** Unknown job, another organization's job, malformed job id, expired job, unknown path: all have the same message. */
export class NotFound extends Refusal {
  override readonly name = 'NotFound'
  override readonly type = 'not_found'
  constructor() {
    super(notFoundMessage)
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
