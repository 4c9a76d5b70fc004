import { describe, expect, it } from 'vitest'
import { findBodyFault, findHeaderFault, type RequestLine } from '../conformance/answer-fault.ts'

const id = '2a39443a-064f-4d78-b562-c11683209ccf'
const get: RequestLine = { method: 'GET', path: `/v1/searches/${id}?v=1` }
const queued = {
  job_id: id,
  status: 'queued',
  created_at: '2026-11-20T19:45:08.974+00:00',
  status_url: `https://rates.example.com/v1/searches/${id}`,
}
const requestId = '192ad721-8d44-4730-aa9e-f15ac7dc236e'
const error = (fields: object = {}) => ({
  error: { type: 'not_found', message: 'No.', request_id: requestId, ...fields },
})

describe("the check of an answer's body", () => {
  it.each<[string, RequestLine, number, unknown]>([
    ['a search', get, 200, queued],
    ['a search of a call that is not named', { method: 'GET' }, 200, queued],
    ['no body after a deletion', { method: 'DELETE', path: `/v1/searches/${id}` }, 204, undefined],
    ['an error', get, 404, error()],
    ['faults', get, 400, error({ type: 'invalid_request', details: [{ path: 'x', message: 'no' }] })],
    ['an error of the gateway', get, 417, error({ type: 'invalid_request' })],
  ])('accepts %s', (_, asked, status, body) => {
    expect(findBodyFault(asked, status, body, requestId)).toBeUndefined()
  })

  it.each<[string, RequestLine, number, unknown]>([
    ['an extra field', get, 200, { ...queued, run: 'x' }],
    ['an extra field in an error', get, 404, error({ stack: 'at' })],
    [
      'an extra field in a fault',
      get,
      400,
      error({ type: 'invalid_request', details: [{ path: '', message: 'x', id: 1 }] }),
    ],
    ['a field of another state', get, 200, { ...queued, error: 'internal: x.' }],
    ['a missing field', get, 200, { ...queued, created_at: undefined }],
    ['a time without milliseconds', get, 200, { ...queued, created_at: '2026-11-20T19:45:08+00:00' }],
    ['the status of another call', get, 202, queued],
    ['the body of another call', { method: 'GET', path: '/v1/fee-schedules' }, 200, queued],
    ['a success for a call that does not exist', { method: 'GET', path: '/v1/searches' }, 200, queued],
    ['text after a deletion', { method: 'DELETE' }, 204, ''],
    ['an error with the status of another', get, 403, error()],
    ['details of an error other than an invalid request', get, 404, error({ details: [{ path: '', message: 'x' }] })],
    ['the request id of another request', get, 404, error({ request_id: 'another-id' })],
  ])('refuses %s', (_, asked, status, body) => {
    expect(findBodyFault(asked, status, body, requestId)).toMatch(/\w/)
  })
})

describe("the check of an answer's headers", () => {
  const post: RequestLine = { method: 'POST', path: '/v1/searches' }
  const common = { 'X-Request-Id': requestId, 'Cache-Control': 'no-store' }
  const created = { ...common, Location: queued.status_url, 'Retry-After': '2' }

  it('accepts the headers of its call', () => {
    expect(findHeaderFault(post, 202, new Headers(created))).toBeUndefined()
    expect(findHeaderFault(post, 202, new Headers({ ...created, 'Idempotent-Replayed': 'true' }))).toBeUndefined()
    const tagged = { ...common, ETag: 'W/"0rBMbPwaYxo7pEdxmbXQDNVv"' }
    expect(findHeaderFault(get, 200, new Headers(tagged))).toBeUndefined()
    expect(findHeaderFault(get, 304, new Headers(tagged))).toBeUndefined()
  })

  it('refuses an answer of a tagged route without a tag, and 304 of a route without tags', () => {
    expect([200, 304].map((status) => findHeaderFault(get, status, new Headers(common)))).toEqual([
      'no ETag',
      'no ETag',
    ])
    const list: RequestLine = { method: 'GET', path: '/v1/searches' }
    expect(findBodyFault(list, 304, undefined, requestId)).toMatch(/\w/)
    expect(findBodyFault(get, 304, undefined, requestId)).toBeUndefined()
  })

  it.each<[string, number, Record<string, string>]>([
    ['no request id', 202, { ...created, 'X-Request-Id': '' }],
    ['a Cache-Control that allows caching', 202, { ...created, 'Cache-Control': 'private' }],
    ['no Location', 202, { ...common, 'Retry-After': '2' }],
    ['a Retry-After that is a date', 202, { ...created, 'Retry-After': 'Fri, 20 Nov 2026 19:45:08 GMT' }],
    ['a Retry-After of zero', 429, { ...common, 'Retry-After': '0' }],
    ['another value of the replay header', 202, { ...created, 'Idempotent-Replayed': 'yes' }],
  ])('refuses %s', (_, status, headers) => {
    expect(findHeaderFault(post, status, new Headers(headers))).toMatch(/\w/)
  })
})
