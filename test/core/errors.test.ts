import { describe, expect, it } from 'vitest'
import { notFoundMessage } from '../../contract/errors.ts'
import {
  Conflict,
  Forbidden,
  IdempotencyMismatch,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  Unauthorized,
  UnsupportedMediaType,
} from '../../core/errors.ts'
import { RateLimited } from '../../core/limits/rate-limited.ts'

const allowance = { limits: { searches: 3, perMinute: 60 }, created: 0, moreIn: 7, running: 1 }
const full = { ...allowance, running: 0 }
const faults = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `npis[${index}]`, message: 'x' }))

describe('a refusal', () => {
  it.each([
    [
      'InvalidRequest',
      'invalid_request',
      () => new InvalidRequest([{ path: 'npis', message: 'is required' }]),
      'npis: is required.',
    ],
    ['Unauthorized', 'unauthorized', () => new Unauthorized(), /^A valid API key is required: send the header/],
    ['Forbidden', 'forbidden', () => new Forbidden('key revoked'), 'This API key is revoked or has expired.'],
    ['Forbidden', 'forbidden', () => new Forbidden('organization inactive'), /^The organization of this API key is/],
    ['NotFound', 'not_found', () => new NotFound(), notFoundMessage],
    ['Conflict', 'conflict', () => new Conflict('wait'), 'wait'],
    [
      ...(['MethodNotAllowed', 'method_not_allowed'] as const),
      () => new MethodNotAllowed('PUT', ['GET', 'HEAD']),
      'The method PUT is not allowed here; allowed: GET, HEAD.',
    ],
    ['IdempotencyMismatch', 'idempotency_mismatch', () => new IdempotencyMismatch(), /: resend that body, or send/],
    [
      'RateLimited',
      'rate_limited',
      () => new RateLimited(allowance, []),
      /^The organization's limit of new searches a minute is 60/,
    ],
    [
      'RateLimited',
      'rate_limited',
      () => new RateLimited(allowance, [], 'estimates'),
      "The organization's limit of new estimates a minute is 60: send this one again in 7 s.",
    ],
    [
      ...(['PayloadTooLarge', 'payload_too_large'] as const),
      () => new PayloadTooLarge({ bytes: 3, limit: 2 }),
      'The body has 3 bytes; the limit is 2 bytes.',
    ],
    [
      ...(['UnsupportedMediaType', 'unsupported_media_type'] as const),
      () => new UnsupportedMediaType(),
      /^The body must be sent as "Content-Type: application\/json"/,
    ],
  ])('carries a name, a type and a message: %s, %s', (name, type, refuse, message) => {
    const refusal = refuse()
    expect([refusal.name, refusal.type]).toEqual([name, type])
    expect(refusal.message).toMatch(message)
  })
})

describe('an invalid request', () => {
  it('cannot be made without a fault', () => {
    expect(() => new InvalidRequest([])).toThrow('at least one fault')
  })

  it('shows its first fault, and the number of further ones, in its message', () => {
    const message = (...given: readonly string[]) =>
      new InvalidRequest(given.map((each) => ({ path: 'npis', message: each }))).message
    expect(message('is missing')).toBe('npis: is missing.')
    expect(message('do you mean 5?')).toBe('npis: do you mean 5?')
    expect(message('is missing. Add it. Please')).toBe('npis: is missing. Add it. Please.')
    expect(message('a', 'b')).toBe('npis: a (and 1 more fault, see details).')
    expect(message('a', 'b', 'c')).toBe('npis: a (and 2 more faults, see details).')
    expect(new InvalidRequest([{ path: '', message: 'must be an object' }]).message).toBe('must be an object.')
  })

  it('lists a hundred faults, and counts the others', () => {
    expect(new InvalidRequest(faults(100)).details).toEqual(faults(100))
    expect(new InvalidRequest(faults(102)).details).toEqual([
      ...faults(100),
      { path: '', message: 'and 2 more faults' },
    ])
  })
})

describe('a request beyond the limits', () => {
  it('asks the client to wait until the rate allows it', () => {
    const refusal = new RateLimited(allowance, ['a'])
    expect(refusal.retryAfter).toBe(7)
    expect(refusal.message).toBe("The organization's limit of new searches a minute is 60: send this one again in 7 s.")
    expect(new RateLimited(full, []).message).toBe(refusal.message)
    expect(new RateLimited(allowance, []).details).toBeUndefined()
    expect(refusal.allowance).toBe(allowance)
  })

  it('asks the client to wait at least one polling interval if searches have to end first', () => {
    expect(new RateLimited(full, ['a']).retryAfter).toBe(15)
    expect(new RateLimited({ ...full, moreIn: 20 }, ['a']).retryAfter).toBe(20)
  })

  it('names the searches that have not ended, the oldest first', () => {
    const refusal = new RateLimited(full, ['a'])
    expect(refusal.message).toBe(
      "The organization's limit of searches that have not ended is 3: wait until one ends, or cancel one. The oldest is a.",
    )
    expect(refusal.details).toEqual([{ path: '', message: 'search a has not ended' }])
    const many = new RateLimited(full, ['a', 'b', 'c'])
    expect(many.message).toMatch(/The oldest is a \(and 2 more, see details\)\.$/)
    const all = Array.from({ length: 103 }, (_, index) => `${index}`)
    expect(new RateLimited(full, all).details?.at(-1)).toEqual({ path: '', message: 'and 3 more searches' })
  })
})
