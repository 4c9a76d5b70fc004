import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { SearchRequestBody } from '../../../contract/search-api.ts'
import { addSeconds } from '../../../core/time.ts'
import { storeKey } from '../../builders/new-key.ts'
import { access, endpoints, openSearchApi, publicBaseUrl, refusal } from '../search-api.ts'

const search: SearchRequestBody = {
  npis: [1003000126],
  billing_codes: ['99213'],
  fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }],
}
const body = JSON.stringify(search)

/** Returns the id in the response of an accepted search. */
const jobIdOf = ({ text }: { readonly text: string }): string => JSON.parse(text).job_id

describe('an accepted search', () => {
  it('answers 202 with the queued job, its status URL and when to poll', async () => {
    const api = openSearchApi()
    api.clock.now = new Date('2026-11-20T09:30:00.123Z')
    const { token } = await storeKey(access)
    const answer = await api.createSearch({ token, body })
    const statusUrl = `${publicBaseUrl}/v1/searches/${jobIdOf(answer)}`
    const created = { job_id: jobIdOf(answer), created_at: '2026-11-20T09:30:00.123+00:00', status_url: statusUrl }
    expect([answer.status, answer.body]).toEqual([202, { ...created, status: 'queued' }])
    expect(answer.headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...protectiveHeaders,
      'X-Request-Id': answer.requestId,
      Location: statusUrl,
      'Retry-After': '2',
    })
  })

  it.each([
    'application/json',
    'Application/JSON; charset="UTF-8"',
    'application/json;charset=utf8',
    'application/json; of-charset=none',
  ])('accepts a body in Base64 as %s', async (type) => {
    const { token } = await storeKey(access)
    const headers = { 'content-type': type }
    const answer = await openSearchApi().createSearch({ token, body: Buffer.from(body), headers })
    expect(answer.status).toBe(202)
  })

  it('repeats the first answer under its idempotency key, marked as a replay', async () => {
    const api = openSearchApi()
    const { token } = await storeKey(access)
    const first = await api.createSearch({ token, body, headers: { 'Idempotency-Key': 'order-42' } })
    expect(first.headers).not.toHaveProperty('Idempotent-Replayed')
    api.clock.now = addSeconds(api.clock.now, 3600)
    const again = await api.createSearch({ token, body: ` ${body}`, headers: { 'idempotency-key': 'order-42' } })
    expect([again.status, again.text]).toEqual([202, first.text])
    expect(again.headers).toEqual({ ...first.headers, 'X-Request-Id': again.requestId, 'Idempotent-Replayed': 'true' })
  })
})

describe('an invalid search', () => {
  it('answers 400 with every fault of headers and body, including an empty header', async () => {
    const { token } = await storeKey(access)
    const faulty = JSON.stringify({ ...search, npis: [], billing_code: ['99213'] })
    const answer = await openSearchApi().createSearch({ token, body: faulty, headers: { 'Idempotency-Key': '' } })
    const details = ['Idempotency-Key', 'billing_code', 'npis'].map((path) => expect.objectContaining({ path }))
    expect([answer.status, answer.body]).toMatchObject([400, { error: { type: 'invalid_request', details } }])
  })

  it.each([
    ['no body', undefined, 'a JSON body is required.'],
    ['a body without a byte', '', 'a JSON body is required.'],
    ['no JSON', '{"npis": [secret-word]}', 'the body is not valid JSON: expected a value at line 1, column 11.'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'the body is not valid UTF-8.'],
  ])('answers 400 for %s, without repeating what was sent', async (_, sent, message) => {
    const { token } = await storeKey(access)
    const answer = await openSearchApi().createSearch({ token, ...(sent !== undefined && { body: sent }) })
    expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request', answer.requestId)])
    expect(answer.body).toMatchObject({ error: { message, details: [{ path: '' }] } })
  })

  it('answers 413 above one mebibyte, but not at it', async () => {
    const { token } = await storeKey(access)
    const api = openSearchApi()
    const atLimit = body.padEnd(1024 * 1024, ' ')
    expect((await api.createSearch({ token, body: atLimit })).status).toBe(202)
    const answer = await api.createSearch({ token, body: `${atLimit} ` })
    expect([answer.status, answer.body]).toEqual([413, refusal('payload_too_large', answer.requestId)])
    expect(answer.text).toContain('has 1048577 bytes')
  })

  it.each([
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': '' },
    { 'Content-Type': 'application/json; charset=latin1' },
    { 'Content-Type': 'application/json; charset=utf-80' },
    { 'Content-Type': 'application/json; charset=charset=utf-8' },
    { 'Content-Type': 'application/json; charset=utf-8; charset=utf-16' },
    { 'Content-Encoding': 'gzip' },
  ])('answers 415 for %o', async (headers) => {
    const { token } = await storeKey(access)
    const answer = await openSearchApi().createSearch({ token, body, headers })
    expect([answer.status, answer.body]).toEqual([415, refusal('unsupported_media_type', answer.requestId)])
  })
})

describe('the log of created searches', () => {
  it('gets one line per response, with the request id, the status, the key and the created job', async () => {
    const api = openSearchApi()
    const { token, orgId, keyId } = await storeKey(access)
    const [created, refused] = [await api.createSearch({ token, body }), await api.createSearch({ body })]
    const address = '192.0.2.1'
    const ids = { org_id: orgId, key_id: keyId, job_id: jobIdOf(created) }
    expect(api.log.map(({ facts }) => facts)).toEqual([
      { request_id: created.requestId, ...ids, status: 202, address },
      { request_id: refused.requestId, status: 401, address },
    ])
    const key = { org_id: orgId, item: `job#${jobIdOf(created)}` }
    const { Item } = await connectDynamo().send(new GetCommand({ TableName: endpoints.tables.jobs, Key: key }))
    expect(Item).toMatchObject({ key_id: keyId })
    expect(created.text).not.toContain(keyId)
  })

  it('never contains a key, URL or body', async () => {
    const { token } = await storeKey(access)
    const secretive = JSON.stringify({ ...search, billing_codes: ['SECRETCODE'] })
    for (const broken of [{}, { jobsTable: 'no-such-table' }, { accessTable: 'no-such-table' }]) {
      const api = openSearchApi(broken)
      await api.createSearch({ token, body: secretive })
      await api.createSearch({ token, body: `${secretive}}` })
      await api.createSearch({ token: `${token}x`, body: secretive })
      expect(api.log.length).toBeGreaterThan(2)
      const text = JSON.stringify(api.log)
      for (const secret of [token, token.slice(-36), 'Bearer', 'SECRETCODE', 'Gold PPO', 'https://', '1003000126'])
        expect(text).not.toContain(secret)
    }
  })
})
