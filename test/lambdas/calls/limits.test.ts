import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ErrorBody } from '../../../contract/search-api.ts'
import { type NewKey, storeKey } from '../../builders/new-key.ts'
import type { Answer } from '../../builders/proxy-event.ts'
import { newContent, newEntry } from '../../builders/sample-search.ts'
import { findBodyFault, findHeaderFault } from '../../conformance/answer-fault.ts'
import { access, catalogue, contents, openSearchApi } from '../search-api.ts'

const search = { billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }
const limits = { searches: 3, perMinute: 5 }

let key: NewKey
let api: ReturnType<typeof openSearchApi>

beforeEach(async () => {
  key = await storeKey(access)
  api = openSearchApi({ limits })
})

const send = (operation: 'create-search' | 'estimate-search', body: object = search): Promise<Answer> =>
  api.callRoute(operation, '', {
    token: key.token,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  })

const sendOften = async (operation: Parameters<typeof send>[0], times: number, status: number): Promise<void> => {
  for (let time = 0; time < times; time++) expect((await send(operation)).status).toBe(status)
}

/** Returns the error of a 429, and checks the answer against the API's document. */
function readRefusal(
  path: string,
  { status, text, headers, requestId }: Answer,
  method: 'GET' | 'POST' = 'POST',
): ErrorBody['error'] {
  const request = { method, path }
  const answerHeaders = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  expect([status, findBodyFault(request, 429, JSON.parse(text), requestId)]).toEqual([429, undefined])
  expect(findHeaderFault(request, 429, answerHeaders)).toBeUndefined()
  return JSON.parse(text).error
}

describe('the 429 to an organization over a limit', () => {
  it('lists the unended searches of an organization that has as many as it may', async () => {
    await sendOften('create-search', limits.searches, 202)
    const refused = await send('create-search')
    const { message, details } = readRefusal('/v1/searches', refused)
    expect(message).toMatch(/^The organization's limit of searches that have not ended is 3: /)
    expect(details).toHaveLength(limits.searches)
    expect(refused.headers).toMatchObject({
      'Retry-After': '15',
      'RateLimit-Policy': '"searches";q=5;w=60, "running";q=3;qu="concurrent-requests"',
      RateLimit: '"searches";r=2;t=1, "running";r=0',
    })
  })

  it('limits new searches a minute, and applies the organization’s own limits from the next search on', async () => {
    await access.setLimits(key.orgId, { searches: 50 })
    await sendOften('create-search', limits.perMinute, 202)
    const refused = await send('create-search')
    expect(readRefusal('/v1/searches', refused).message).toContain('limit of new searches a minute is 5')
    expect(refused.headers).toMatchObject({ 'Retry-After': '12', RateLimit: '"searches";r=0;t=12, "running";r=45' })
  })

  it('limits new estimates a minute, without using up searches', async () => {
    await sendOften('estimate-search', limits.perMinute, 200)
    const refused = await send('estimate-search')
    const error = readRefusal('/v1/estimates', refused)
    expect(error.message).toContain('limit of new estimates a minute is 5')
    expect(error).not.toHaveProperty('details')
    expect(refused.headers).toMatchObject({
      'Retry-After': '12',
      'RateLimit-Policy': '"estimates";q=5;w=60',
      RateLimit: '"estimates";r=0;t=12',
    })
    await sendOften('create-search', 1, 202)
  })

  it('limits lookups and reads of rows to five for each search a minute, without using up searches or estimates', async () => {
    const lookUp = () => api.listBillingCodes({ token: key.token, query: { q: 'knee' } })
    for (let time = 0; time < 5 * limits.perMinute; time++) expect((await lookUp()).status).toBe(200)
    const refused = await lookUp()
    expect(readRefusal('/v1/billing-codes', refused, 'GET').message).toContain(' a minute is 25: ')
    expect(refused.headers).toMatchObject({
      'Retry-After': '3',
      'RateLimit-Policy': '"reads";q=25;w=60',
      RateLimit: '"reads";r=0;t=3',
    })
    await sendOften('create-search', 1, 202)
    await sendOften('estimate-search', 1, 200)
  })
})

describe('a key with bytes per day', () => {
  const day = '2026-11-20'
  let plan: string

  beforeEach(async () => {
    api.clock.now = new Date(`${day}T23:59:50.500Z`)
    const sourceId = randomUUID()
    const content = { ...newContent(sourceId), tableBytes: 10, sources: [{ loadId: 'load', sourceId, bytes: 90 }] }
    await contents.putContent(content)
    plan = `Plan ${sourceId}`
    await catalogue.replace(newEntry({ payer: 'Acme Health', plan, contentId: sourceId }), undefined)
  })

  const create = () => send('create-search', { ...search, fee_schedules: [{ payer: 'Acme Health', plan }] })

  it('gets 429 with the figures until the day ends, and 403 for a search above the whole limit', async () => {
    await access.limitKey(key.orgId, key.keyId, { bytesPerDay: 150 })
    expect((await create()).status).toBe(202)
    const refused = await create()
    expect(readRefusal('/v1/searches', refused).message).toMatch(
      / may read 150 bytes a day \(UTC\): those of today read at most 100, and this one would read at most 100\. /,
    )
    expect(refused.headers).toMatchObject({ 'Retry-After': '10' })
    await access.limitKey(key.orgId, key.keyId, { bytesPerDay: 99 })
    const { status, body, requestId } = await create()
    expect(status).toBe(403)
    expect(findBodyFault({ method: 'POST', path: '/v1/searches' }, 403, body, requestId)).toBeUndefined()
    expect(body).toMatchObject({ error: { type: 'not_permitted', message: expect.stringContaining('99 bytes a day') } })
    api.clock.now = new Date('2026-11-21T00:00:00Z')
    await access.limitKey(key.orgId, key.keyId, { bytesPerDay: 150 })
    expect((await create()).status).toBe(202)
  })
})
