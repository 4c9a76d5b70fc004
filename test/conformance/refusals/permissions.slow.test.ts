import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { connectByHttp } from '../assistants/connect.ts'
import { awaitEnd, createSearch, estimateSearch, postSearch, readSearch, service } from '../client.ts'
import { callRoute, eachRoute } from '../each-route.ts'
import { issueKey, operateKeys, orgId } from '../keys.ts'
import { expectRefusal } from '../refusal.ts'
import { gold, smallSearch } from '../samples.ts'

const summary = { ...smallSearch, summary: {} }

describe.skipIf(service.operator.length === 0)('a key with a permission', () => {
  it.each(['everything', 'summaries', 'reading'])('gets an answer or 403 from every route: %s', async (permission) => {
    const { api_key: key } = await issueKey('--allow', permission)
    const { job_id } = await createSearch(smallSearch)
    await awaitEnd(job_id)
    const before = await readSearch(job_id)
    for (const [, route] of eachRoute) {
      const isPermitted = permission === 'everything' || route.effect === 'reads'
      const answer = await callRoute(route, job_id, { key })
      if (!isPermitted) expectRefusal(answer, [403, 'not_permitted'])
      else expect([200, 202, 204, 409]).toContain(answer.status)
    }
    if (permission !== 'everything') expect(await readSearch(job_id)).toMatchObject({ status: before.status, job_id })
  })

  it('creates a summary and reads it, and loses and regains that right without a new key', async () => {
    const { api_key: key, key_id: keyId } = await issueKey('--allow', 'summaries')
    const { job_id } = await createSearch(summary, key)
    expect((await awaitEnd(job_id, key)).status).toBe('completed')
    await operateKeys('limit', orgId, keyId, '--allow', 'reading')
    expectRefusal(await postSearch(JSON.stringify(summary), { key }), [403, 'not_permitted'])
    expect((await readSearch(job_id, key)).status).toBe('completed')
    await operateKeys('limit', orgId, keyId, '--allow', 'everything')
    await createSearch(smallSearch, key)
  })

  it('tells an assistant what it may do', async () => {
    const { api_key: key } = await issueKey('--allow', 'summaries')
    await using assistant = await connectByHttp('2026-07-28', key)
    const question = { fee_schedules: [gold], billing_codes: ['99213'] }
    const { isError, text } = await assistant.call('start_search', question)
    expect([isError, text]).toEqual([
      true,
      'not_permitted: This API key may only read, estimate, and create searches with a summary; it may not create searches for rows. The operator of the service can change this.',
    ])
    expect((await assistant.call('summarise_rates', question)).isError).toBe(false)
  })
})

const show = (bytes: number) => bytes.toLocaleString('en')

describe.skipIf(service.operator.length === 0)('a key with bytes per day', () => {
  it('creates searches until its day is used up, replays them for nothing, and its use is listed', async () => {
    const { bytes } = await estimateSearch(smallSearch)
    if (bytes === null) throw new Error('the samples record no sizes')
    const { api_key: key, key_id: keyId } = await issueKey('--bytes-per-day', String(2 * bytes - 1))
    const post = (idempotencyKey: string) =>
      postSearch(JSON.stringify(smallSearch), { key, headers: { 'Idempotency-Key': idempotencyKey } })
    const idempotencyKeys = [randomUUID(), randomUUID()] as const
    const answers = await Promise.all(idempotencyKeys.map(post))
    const [created] = idempotencyKeys.filter((_, index) => answers[index]?.status === 202)
    const refused = answers.filter(({ status }) => status !== 202)
    expect(refused).toHaveLength(1)
    for (const answer of refused) {
      const { error } = expectRefusal(answer, [429, 'rate_limited'])
      expect(error.message).toContain(
        `may read ${show(2 * bytes - 1)} bytes a day (UTC): those of today read at most ${show(bytes)}`,
      )
      expect(Number(answer.headers.get('Retry-After'))).toBeLessThanOrEqual(86_400)
    }
    const replay = await post(created ?? '')
    expect([replay.status, replay.headers.get('Idempotent-Replayed')]).toEqual([202, 'true'])
    const { keys } = await operateKeys('list', orgId)
    const facts = { key_id: keyId, bytes_per_day: 2 * bytes - 1, bytes_today: bytes }
    expect(keys).toContainEqual(expect.objectContaining(facts))
    await operateKeys('limit', orgId, keyId, '--bytes-per-day', String(bytes - 1))
    expectRefusal(await post(randomUUID()), [403, 'not_permitted'])
    await operateKeys('limit', orgId, keyId, '--bytes-per-day', 'unlimited')
    expect((await post(randomUUID())).status).toBe(202)
  })
})
