import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { SearchRequestBody } from '../../../contract/search-api.ts'
import { storeKey } from '../../builders/new-key.ts'
import { access, endpoints, jobs, openSearchApi, publicBaseUrl, refusal } from '../search-api.ts'

const search: SearchRequestBody = {
  npis: [1003000126],
  billing_codes: ['99213'],
  fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }],
}
const body = JSON.stringify(search)
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

/** The id in the response of an accepted search. */
const jobIdOf = ({ text }: { readonly text: string }): string => JSON.parse(text).job_id

describe('an accepted search', () => {
  it('answers 202 with the queued job, its status URL and when to poll', async () => {
    const api = openSearchApi()
    api.clock.now = new Date('2026-11-20T09:30:00.123Z')
    const { token } = await storeKey(access)
    const answer = await api.createSearch({ token, body })
    expect(answer.status).toBe(202)
    const statusUrl = `${publicBaseUrl}/v1/searches/${jobIdOf(answer)}`
    expect(answer.body).toEqual({
      job_id: uuid,
      status: 'queued',
      created_at: '2026-11-20T09:30:00.123+00:00',
      status_url: statusUrl,
    })
    expect(answer.headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...protectiveHeaders,
      'X-Request-Id': answer.requestId,
      Location: statusUrl,
      'Retry-After': '2',
    })
  })

  it('is stored with its request, and its workflow runs', async () => {
    const { token, orgId } = await storeKey(access)
    const jobId = jobIdOf(await openSearchApi().createSearch({ token, body }))
    const job = await jobs.read({ orgId, jobId })
    expect(job?.status).toBe('queued')
    const request = { npis: [1003000126], billingCodes: ['99213'], feeSchedules: search.fee_schedules }
    expect(await jobs.readRequest(orgId, job?.requestHash ?? '')).toEqual(request)
    const arn = endpoints.stateMachineArn.replace(':stateMachine:', ':execution:')
    const command = new DescribeExecutionCommand({ executionArn: `${arn}:${jobId}-${job?.run}` })
    expect((await new SFNClient({}).send(command)).name).toBe(`${jobId}-${job?.run}`)
  })

  it('is accepted even if its workflow could not be started', async () => {
    const api = openSearchApi({ stateMachineArn: `${endpoints.stateMachineArn}NotThere` })
    const { token } = await storeKey(access)
    const answer = await api.createSearch({ token, body })
    expect(answer.status).toBe(202)
    const facts = expect.objectContaining({ job_id: jobIdOf(answer), cause: 'StateMachineDoesNotExist' })
    expect(api.log).toContainEqual({ event: 'workflow not started', facts })
  })

  it.each([
    'application/json',
    'Application/JSON; charset="UTF-8"',
    'application/json;charset=utf8',
    'application/json; of-charset=none',
  ])('may be sent in Base64 as %s', async (type) => {
    const { token } = await storeKey(access)
    const headers = { 'content-type': type }
    const answer = await openSearchApi().createSearch({ token, body: Buffer.from(body), headers })
    expect(answer.status).toBe(202)
  })
})

describe('an invalid search', () => {
  it('answers 400 with every fault at once', async () => {
    const { token } = await storeKey(access)
    const faulty = JSON.stringify({ npis: [], billing_code: ['99213'], fee_schedules: [{ payer: 'Acme' }] })
    const { status, body } = await openSearchApi().createSearch({ token, body: faulty })
    expect(status).toBe(400)
    const details = ['billing_code', 'npis', 'fee_schedules[0].plan'].map((path) => ({
      path,
      message: expect.any(String),
    }))
    const message =
      'billing_code: unknown field `billing_code`; did you mean `billing_codes`? (and 2 more faults, see details).'
    expect(body).toMatchObject({ error: { type: 'invalid_request', message, details } })
  })

  it.each([
    [
      'a fault in its JSON',
      '{"npis": [1003000126,]}',
      'the body is not valid JSON: expected a value at line 1, column 22.',
    ],
    ['a body without a byte', '', 'a JSON body is required.'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'the body is not valid UTF-8.'],
    [
      'a number that is not written as an integer',
      '{"npis": [1e-400]}',
      'npis[0]: must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN; not 1e-400 (and 1 more fault, see details).',
    ],
    [
      'two lists with the same name',
      '{"npis": [0], "npis": [1003000126]}',
      'npis: must be an array, not several values under one name (and 1 more fault, see details).',
    ],
  ])('says in its message what to correct: %s', async (_, sent, message) => {
    const { token } = await storeKey(access)
    const answer = await openSearchApi().createSearch({ token, body: sent })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: { message } })
  })

  it.each([
    ['no body', undefined],
    ['no JSON', '{"npis": [secret-word]}'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('answers 400 for %s, without repeating what was sent', async (_, sent) => {
    const { token } = await storeKey(access)
    const answer = await openSearchApi().createSearch({ token, ...(sent !== undefined && { body: sent }) })
    expect([answer.status, answer.body]).toEqual([400, refusal('invalid_request', answer.requestId)])
    expect(answer.text).not.toContain('secret-word')
    if (sent === undefined) expect(answer.text).toContain('a JSON body is required')
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

describe('the log', () => {
  it('has one line per response, with the request id, the status, the key and the created job', async () => {
    const api = openSearchApi()
    const { token, orgId, keyId } = await storeKey(access)
    const [created, refused] = [await api.createSearch({ token, body }), await api.createSearch({ body })]
    const address = '192.0.2.1'
    const named = { org_id: orgId, key_id: keyId, job_id: jobIdOf(created) }
    expect(api.log.map(({ facts }) => facts)).toEqual([
      { request_id: created.requestId, ...named, status: 202, address },
      { request_id: refused.requestId, status: 401, address },
    ])
    const key = { org_id: orgId, item: `job#${jobIdOf(created)}` }
    const { Item } = await connectDynamo().send(new GetCommand({ TableName: endpoints.tables.jobs, Key: key }))
    expect(Item).toMatchObject({ key_id: keyId })
    expect(created.text).not.toContain(keyId)
  })

  it('never has a key, URL or body', async () => {
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
