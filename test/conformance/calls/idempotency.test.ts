import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../../contract/search-api.ts'
import { type Answer, awaitEnd, otherKey, ownKey, postSearch } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { findSampleRows, gold, smallSearch } from '../samples.ts'
import { describeRows, readResult } from '../shards.ts'

const search = { billing_codes: ['99213'], fee_schedules: [gold] }
const otherSearch = { billing_codes: ['99214'], fee_schedules: [gold] }

const post = (idempotencyKey: string, request: object = search, key: string = ownKey) =>
  postSearch(JSON.stringify(request), { key, headers: { 'Idempotency-Key': idempotencyKey } })

/** The body of an answer that must be 202. */
function accepted({ status, text }: Answer): SearchBody {
  expect([status, text]).toEqual([202, expect.any(String)])
  return JSON.parse(text)
}

const isReplay = ({ headers }: Answer) => headers.get('Idempotent-Replayed') === 'true'

describe('an Idempotency-Key', () => {
  it('sent twenty times concurrently creates one job with the right rows and answers 19 replays', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(key)))
    const [first, ...rest] = answers.map(accepted)
    for (const body of rest) expect(body).toEqual(first)
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1)
    const ended = await awaitEnd(first?.job_id ?? '')
    if (ended.status === 'failed') throw new Error(ended.error)
    const expected = findSampleRows({ codes: ['99213'], plans: [gold] })
    expect(await readResult(ended)).toEqual(describeRows(expected))
  })

  it('sent again after the job has ended gets the first answer again', async () => {
    const key = randomUUID()
    const first = await post(key)
    const { job_id } = accepted(first)
    await awaitEnd(job_id)
    const again = await post(key)
    expect(accepted(again)).toEqual(accepted(first))
    expect([isReplay(first), isReplay(again)]).toEqual([false, true])
    expect(again.headers.get('Location')).toBe(first.headers.get('Location'))
    expect(again.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
  })

  it('sent again with an equivalent body returns the same job', async () => {
    const key = randomUUID()
    const { job_id } = accepted(await post(key, { ...smallSearch, npis: [1000100002, 1000100010] }))
    const { fee_schedules, billing_codes } = smallSearch
    const same = { fee_schedules, billing_codes, npis: [1000100010, 1000100002, 1000100010] }
    expect(accepted(await post(key, same)).job_id).toBe(job_id)
  })

  it('sent again with a different body is refused with 422, and the first search is unaffected', async () => {
    const key = randomUUID()
    const { job_id } = accepted(await post(key))
    const refused = await Promise.all([post(key, otherSearch), post(key, smallSearch)])
    for (const answer of refused) expectRefusal(answer, [422, 'idempotency_mismatch'])
    const ended = await awaitEnd(job_id)
    if (ended.status === 'failed') throw new Error(ended.error)
    const expected = findSampleRows({ codes: ['99213'], plans: [gold] })
    expect(await readResult(ended)).toEqual(describeRows(expected))
    expectRefusal(await post(key, otherSearch), [422, 'idempotency_mismatch'])
  })

  it('of another organization creates another job', async () => {
    const key = randomUUID()
    const own = accepted(await post(key))
    const other = await post(key, otherSearch, otherKey)
    expect(accepted(other).job_id).not.toBe(own.job_id)
    expect(isReplay(other)).toBe(false)
  })

  it('may have 255 characters, and quotes are part of it', async () => {
    const key = `${randomUUID()}!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`.padEnd(255, 'k')
    const { job_id } = accepted(await post(key))
    expect(accepted(await post(key)).job_id).toBe(job_id)
    const word = randomUUID()
    expect(accepted(await post(word)).job_id).not.toBe(accepted(await post(`"${word}"`)).job_id)
  })

  // Gateways treat empty and non-ASCII headers differently, so those are tested in the functions' own tests.
  it.each([
    ['contains spaces', 'two words'],
    ['is too long', 'k'.repeat(256)],
  ])('that %s is refused with 400, together with the faults of the body', async (_, key) => {
    const body = expectRefusal(await post(key, { ...search, npis: [] }), [400, 'invalid_request'])
    expect(faultPaths(body)).toEqual(['Idempotency-Key', 'npis'])
  })
})
