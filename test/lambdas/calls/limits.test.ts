import { beforeEach, describe, expect, it } from 'vitest'
import type { ErrorBody } from '../../../contract/search-api.ts'
import { failSearch } from '../../../core/job/end-search.ts'
import { addSeconds } from '../../../core/time.ts'
import { type NewKey, storeKey } from '../../builders/new-key.ts'
import { findBodyFault, findHeaderFault } from '../../conformance/answer-fault.ts'
import { access, jobs, openSearchApi, retentionDays, settling } from '../search-api.ts'

const search = { billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }
const limits = { searches: 3, perMinute: 5 }

let key: NewKey
let api: ReturnType<typeof openSearchApi>

beforeEach(async () => {
  key = await storeKey(access)
  api = openSearchApi({ limits })
})

const post = (idempotencyKey?: string, body: object = search) =>
  api.createSearch({
    token: key.token,
    body: JSON.stringify(body),
    headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  })

const jobOf = ({ text }: { readonly text: string }): string => JSON.parse(text).job_id

/** Ends a job as a step does. */
async function end(jobId: string): Promise<void> {
  const job = await jobs.read({ orgId: key.orgId, jobId })
  if (job === undefined) throw new Error(`there is no job ${jobId}`)
  const deps = {
    ...settling,
    jobs,
    retentionDays,
    now: () => addSeconds(api.clock.now, 1),
    countEnd: () => {},
    log: () => {},
  }
  await failSearch(deps, job, { word: 'internal', sentence: 'It was.' })
}

const readError = ({ text }: { readonly text: string }): ErrorBody['error'] => JSON.parse(text).error

describe('an organization with as many unended searches as it may have', () => {
  it('gets 429 that names them, says when to ask again and what is left, and creates nothing', async () => {
    const running = [await post(), await post(), await post()].map(jobOf)
    const refused = await post()
    expect(refused.status).toBe(429)
    const { type, message, details } = readError(refused)
    expect(type).toBe('rate_limited')
    expect(message).toBe(
      `The organization's limit of searches that have not ended is 3: wait until one ends, or cancel one. The oldest is ${details?.[0]?.message.split(' ')[1]} (and 2 more, see details).`,
    )
    expect(details?.map((each) => each.message).sort()).toEqual(
      running.map((jobId) => `search ${jobId} has not ended`).sort(),
    )
    expect(refused.headers).toMatchObject({
      'Retry-After': '15',
      'RateLimit-Policy': '"searches";q=5;w=60, "running";q=3;qu="concurrent-requests"',
      RateLimit: '"searches";r=2;t=1, "running";r=0',
    })
    const asked = { method: 'POST', path: '/v1/searches' }
    expect(findBodyFault(asked, 429, JSON.parse(refused.text), refused.requestId)).toBeUndefined()
    expect(
      findHeaderFault(
        asked,
        429,
        new Headers(Object.entries(refused.headers).map(([name, value]) => [name, String(value)])),
      ),
    ).toBeUndefined()
  })

  it('may create another once one has ended, or was cancelled', async () => {
    const [first, second] = [await post(), await post(), await post()].map(jobOf)
    await end(first ?? '')
    expect((await post()).status).toBe(202)
    expect((await post()).status).toBe(429)
    api.clock.now = addSeconds(api.clock.now, 30)
    expect((await api.cancelSearch(second ?? '', { token: key.token })).status).toBe(200)
    expect((await post()).status).toBe(202)
  })

  it('gets replays under its idempotency keys, also with other bodies, which use up nothing', async () => {
    for (const name of ['a', 'b', 'c']) await post(name)
    const before = await settling.usages.read(key.orgId)
    expect((await post('b')).headers).toMatchObject({ 'Idempotent-Replayed': 'true' })
    expect((await post('b', { ...search, billing_codes: ['99214'] })).status).toBe(422)
    expect(await settling.usages.read(key.orgId)).toEqual(before)
    expect((await post('d')).status).toBe(429)
  })

  it('does not keep another organization from creating searches', async () => {
    for (const _ of limits.searches.toString().repeat(3)) await post()
    expect((await post()).status).toBe(429)
    key = await storeKey(access)
    expect((await post()).status).toBe(202)
  })
})

describe('an organization that creates searches faster than it may', () => {
  it('gets 429 with the seconds until one more, and may create one then', async () => {
    await access.setLimits(key.orgId, { searches: 50 })
    for (let search = 0; search < limits.perMinute; search++) expect((await post()).status).toBe(202)
    const refused = await post()
    expect(refused.status).toBe(429)
    expect(readError(refused).message).toBe(
      "The organization's limit of new searches a minute is 5: send this one again in 12 s.",
    )
    expect(readError(refused).details).toHaveLength(limits.perMinute)
    expect(refused.headers).toMatchObject({
      'Retry-After': '12',
      RateLimit: '"searches";r=0;t=12, "running";r=45',
    })
    api.clock.now = addSeconds(api.clock.now, 12)
    expect([(await post()).status, (await post()).status]).toEqual([202, 429])
  })
})

describe('an organization that makes more estimates than it may', () => {
  const estimate = (body: object = search) =>
    api.callRoute('estimate-search', '', {
      token: key.token,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    })
  const estimateOften = async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => estimate()))
    return answers.filter(({ status }) => status === 200).length
  }

  it('gets 429 that speaks of estimates, with the seconds until one more, and may make one then', async () => {
    expect(await estimateOften()).toBe(limits.perMinute)
    const refused = await estimate()
    expect(refused.status).toBe(429)
    expect(readError(refused)).toMatchObject({
      type: 'rate_limited',
      message: "The organization's limit of new estimates a minute is 5: send this one again in 12 s.",
    })
    expect(readError(refused)).not.toHaveProperty('details')
    expect(refused.headers).toMatchObject({
      'Retry-After': '12',
      'RateLimit-Policy': '"estimates";q=5;w=60',
      RateLimit: '"estimates";r=0;t=12',
    })
    const asked = { method: 'POST', path: '/v1/estimates' }
    const headers = new Headers(Object.entries(refused.headers).map(([name, value]) => [name, String(value)]))
    expect(findBodyFault(asked, 429, JSON.parse(refused.text), refused.requestId)).toBeUndefined()
    expect(findHeaderFault(asked, 429, headers)).toBeUndefined()
    api.clock.now = addSeconds(api.clock.now, 12)
    expect([(await estimate()).status, (await estimate()).status]).toEqual([200, 429])
  })

  it('reads nothing of the catalogue for an estimate over the limit', async () => {
    await estimateOften()
    api = openSearchApi({ limits, catalogueTable: 'no-such-table' })
    expect((await estimate()).status).toBe(429)
  })

  it('may create its searches all the same, and the other way round', async () => {
    await access.setLimits(key.orgId, { searches: 50 })
    await estimateOften()
    for (let search = 0; search < limits.perMinute; search++) expect((await post()).status).toBe(202)
    key = await storeKey(access)
    await access.setLimits(key.orgId, { searches: 1 })
    expect([(await post()).status, (await post()).status]).toEqual([202, 429])
    expect(await estimateOften()).toBe(limits.perMinute)
  })

  it('uses up nothing by requests that are refused', async () => {
    for (let wrong = 0; wrong < 8; wrong++) expect((await estimate({})).status).toBe(400)
    expect(await estimateOften()).toBe(limits.perMinute)
  })

  it('has its own limit of them, and does not keep another organization from theirs', async () => {
    await access.setLimits(key.orgId, { perMinute: 2 })
    expect(await estimateOften()).toBe(2)
    key = await storeKey(access)
    expect(await estimateOften()).toBe(limits.perMinute)
  })
})

describe('the limits of one organization', () => {
  it('apply from its next search on', async () => {
    await access.setLimits(key.orgId, { searches: 1, perMinute: 60 })
    expect([(await post()).status, (await post()).status]).toEqual([202, 429])
    await access.setLimits(key.orgId, {})
    expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([202, 202, 429])
  })
})

describe('a refused request', () => {
  it.each([
    ['its body is not valid', () => post(undefined, {}), 400],
    ['its idempotency key is not valid', () => post('two words'), 400],
  ])('uses up nothing if %s', async (_, send, status) => {
    expect((await send()).status).toBe(status)
    expect((await settling.usages.read(key.orgId)).slots.size).toBe(0)
  })
})

describe('thirty racing requests of one organization', () => {
  it('create exactly as many searches as it may have, and one for each idempotency key', async () => {
    await access.setLimits(key.orgId, { searches: 4, perMinute: 1000 })
    const names = Array.from({ length: 30 }, (_, index) => `key ${index % 10}`.replace(' ', '-'))
    const answers = await Promise.all(names.map((name) => post(name)))
    const created = answers.filter(({ status }) => status === 202).map(jobOf)
    expect(new Set(created).size).toBe(4)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 429]))
    expect([...(await settling.usages.read(key.orgId)).slots.keys()].sort()).toEqual([...new Set(created)].sort())
  })
})
