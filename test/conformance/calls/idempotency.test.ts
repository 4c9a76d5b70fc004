import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../../contract/search-api.ts'
import { type Answer, awaitEnd, postSearch } from '../client.ts'
import { expectRefusal } from '../refusal.ts'
import { findSampleRows, gold, smallSearch } from '../samples.ts'
import { describeRows, readResult } from '../shards.ts'

const search = { billing_codes: ['99213'], fee_schedules: [gold] }
const otherSearch = { billing_codes: ['99214'], fee_schedules: [gold] }

const post = (idempotencyKey: string, request: object = search) =>
  postSearch(JSON.stringify(request), { headers: { 'Idempotency-Key': idempotencyKey } })

/** The body of an answer that must be 202. */
function accepted({ status, text }: Answer): SearchBody {
  expect([status, text]).toEqual([202, expect.any(String)])
  return JSON.parse(text)
}

const isReplay = ({ headers }: Answer) => headers.get('Idempotent-Replayed') === 'true'

describe('an Idempotency-Key', () => {
  it('creates one job with the right rows and answers 19 replays if it is sent twenty times at once', async () => {
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

  it('gets 422 if it is sent again with a different body, and the first search is unaffected', async () => {
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

  it('may have 255 characters, and quotes are part of it', async () => {
    const key = `${randomUUID()}!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`.padEnd(255, 'k')
    const { job_id } = accepted(await post(key))
    expect(accepted(await post(key)).job_id).toBe(job_id)
    const word = randomUUID()
    expect(accepted(await post(word)).job_id).not.toBe(accepted(await post(`"${word}"`)).job_id)
  })
})
