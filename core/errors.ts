import { type ErrorType, notFoundMessage } from '../contract/errors.ts'
import { maxFaults } from '../contract/limits.ts'
import type { Fault } from '../contract/search-api.ts'

/** A request that the service refuses: a stable `type` for the HTTP status table, and a message for the client. */
export abstract class Refusal extends Error {
  override readonly name: string = this.constructor.name
  abstract readonly type: ErrorType
  /** All faults of the request; absent if the refusal has a single cause. */
  readonly details?: readonly Fault[] | undefined
}

/** The body or query string is not valid. `details` lists every fault; the message names the first. */
export class InvalidRequest extends Refusal {
  override readonly type = 'invalid_request'
  override readonly details: readonly Fault[]
  constructor(faults: readonly Fault[]) {
    super(summarise(faults))
    this.details = shorten(faults)
  }
}

/** Summarizes faults for clients that log only the message: the first fault and the number of further ones. */
function summarise([first, ...others]: readonly Fault[]): string {
  if (first === undefined) throw new TypeError('an invalid request needs at least one fault')
  const { path, message } = first
  const fault = path === '' ? message : `${path}: ${message}`
  if (others.length === 0) return /[.?]$/.test(fault) ? fault : `${fault}.`
  return `${fault} (and ${others.length} more ${others.length === 1 ? 'fault' : 'faults'}, see details).`
}

/** Cuts a list of faults to as many as an answer has. */
export function shorten(faults: readonly Fault[], what = 'faults'): readonly Fault[] {
  if (faults.length <= maxFaults) return faults
  return [...faults.slice(0, maxFaults), { path: '', message: `and ${faults.length - maxFaults} more ${what}` }]
}

/** The key is missing, malformed or wrong. The message is always the same, so that callers cannot tell which. */
export class Unauthorized extends Refusal {
  override readonly type = 'unauthorized'
  constructor() {
    super('A valid API key is required: send the header "Authorization: Bearer <API_KEY>".')
  }
}

const forbidden = {
  'key revoked': 'This API key is revoked or has expired.',
  'organization inactive': 'The organization of this API key is inactive.',
  'other origin': 'Web pages of another origin cannot call this address.',
} as const

/**
 * The key's secret was right, and the key is revoked or expired, or its organization inactive; or a web page of another
 * origin called an address for assistants.
 */
export class Forbidden extends Refusal {
  override readonly type = 'forbidden'
  constructor(reason: keyof typeof forbidden) {
    super(forbidden[reason])
  }
}

/**
 * Unknown job, another organization's job, malformed job id, expired job or unknown path: the message is always the
 * same.
 */
export class NotFound extends Refusal {
  override readonly type = 'not_found'
  constructor() {
    super(notFoundMessage)
  }
}

/** The job's state does not allow the call; the message says what to do instead. */
export class Conflict extends Refusal {
  override readonly type = 'conflict'
}

/** The path exists, but not with this method; `allowed` becomes the `Allow` header. */
export class MethodNotAllowed extends Refusal {
  override readonly type = 'method_not_allowed'
  readonly allowed: readonly string[]
  constructor(method: string, allowed: readonly string[]) {
    super(`The method ${method} is not allowed here; allowed: ${allowed.join(', ')}.`)
    this.allowed = allowed
  }
}

export class IdempotencyMismatch extends Refusal {
  override readonly type = 'idempotency_mismatch'
  constructor() {
    super(
      'This Idempotency-Key was already used with a different body: resend that body, or send this one with a new key.',
    )
  }
}

export class PayloadTooLarge extends Refusal {
  override readonly type = 'payload_too_large'
  constructor(facts: { readonly bytes: number; readonly limit: number }) {
    super(`The body has ${facts.bytes} bytes; the limit is ${facts.limit} bytes.`)
  }
}

export class UnsupportedMediaType extends Refusal {
  override readonly type = 'unsupported_media_type'
  constructor() {
    super('The body must be sent as "Content-Type: application/json", in UTF-8 and without content encoding.')
  }
}
