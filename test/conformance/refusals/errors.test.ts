import { describe, expect, inject, it } from 'vitest'
import { methodsOf, routes } from '../../../contract/routes.ts'
import { call, createSearch, postSearch } from '../client.ts'
import { expectRefusal } from '../refusal.ts'
import { smallSearch } from '../samples.ts'

const service = inject('service')

const validBody = JSON.stringify(smallSearch)

describe('an unknown path', () => {
  it.each([
    '/v1',
    '/V1/searches',
    '/v1/fee-schedules/1',
    '/v1/searches/7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41/results/1',
    '/favicon.ico',
    '/.env',
    '/v1/..%2F..%2Fetc/passwd',
    '/v1/searches%2Fabc',
    "/v1/';DROP TABLE jobs;--",
    `/${'long/'.repeat(300)}`,
  ])('answers 404: %s', async (path) => {
    expectRefusal(await call(path), [404, 'not_found'])
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('answers 404 to %s', async (method) => {
    expectRefusal(await call('/v1/nowhere', { method }), [404, 'not_found'])
  })
})

describe('a trailing slash', () => {
  it.each(['/v1/searches/', '/v1/fee-schedules/'])(
    'never gets an Allow header that names the refused method: %s',
    async (path) => {
      const { status, headers } = await call(path)
      expect(status).toBeLessThan(500)
      expect(headers.get('Allow') ?? '').not.toContain('GET')
    },
  )
})

describe('a method that a path does not have', () => {
  const paths = [...new Set(routes.map(({ path }) => path))]
  const wrong = paths.flatMap((path) =>
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
      .filter((method) => !methodsOf(path).includes(method))
      .map((method) => [method, path] as const),
  )

  it.each(wrong)('gets 405 and the allowed methods: %s %s', async (method, path) => {
    const answer = await call(path.replace('{job_id}', '7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41'), { method })
    expectRefusal(answer, [405, 'method_not_allowed'])
    expect((answer.headers.get('Allow') ?? '').split(', ').sort()).toEqual([...methodsOf(path)].sort())
  })
})

describe('a CORS preflight request', () => {
  it.each(['/v1/searches', '/v1/fee-schedules', '/v1/nowhere'])('allows no origin: %s', async (path) => {
    const headers = { Origin: 'https://foreign.example', 'Access-Control-Request-Method': 'POST' }
    const { status, headers: answered } = await call(path, { method: 'OPTIONS', headers })
    expect(status).toBeGreaterThanOrEqual(400)
    expect([...answered.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

describe('a body of more than 1 MiB', () => {
  it.each([
    ['one byte more', validBody.padEnd(1024 * 1024 + 1)],
    ['five million bytes that are not JSON', 'x'.repeat(5_000_000)],
    ['fewer characters than bytes', JSON.stringify({ ...smallSearch, note: 'é'.repeat(600_000) })],
  ])('gets 413: %s', async (_, body) => {
    expectRefusal(await postSearch(body), [413, 'payload_too_large'])
  })
})

describe('a body that is not declared as JSON in UTF-8', () => {
  it.each(['text/plain', 'application/json; charset=iso-8859-1'])('gets 415: %s', async (type) => {
    expectRefusal(await postSearch(validBody, { headers: { 'Content-Type': type } }), [415, 'unsupported_media_type'])
  })

  it('gets 415 without a Content-Type', async () => {
    // Sent as bytes, because fetch adds a Content-Type to a string.
    const answer = await call('/v1/searches', { method: 'POST', body: new TextEncoder().encode(validBody) })
    expectRefusal(answer, [415, 'unsupported_media_type'])
  })

  it.skipIf(service.emulated)('gets 415 if it is a multipart form', async () => {
    const answer = await postSearch(validBody, { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } })
    expectRefusal(answer, [415, 'unsupported_media_type'])
  })

  it.skipIf(service.emulated)('gets 415 if it is compressed', async () => {
    const answer = await postSearch(validBody, { headers: { 'Content-Encoding': 'gzip' } })
    expectRefusal(answer, [415, 'unsupported_media_type'])
  })
})

describe('an error', () => {
  it("carries a new request id, equal in header and body, and never the client's", async () => {
    const headers = { 'X-Request-Id': 'mine', 'x-amzn-RequestId': 'mine' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('/v1/nowhere', { headers })))
    const ids = answers.map((answer) => expectRefusal(answer, [404, 'not_found']).error.request_id)
    expect(new Set(ids).size).toBe(5)
    expect(ids).not.toContain('mine')
  })

  it('leaves the next request unaffected', async () => {
    await postSearch('{')
    expect((await createSearch(smallSearch)).status).toBe('queued')
  })
})
