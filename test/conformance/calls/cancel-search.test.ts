import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../../contract/search-api.ts'
import type { Answer } from '../client.ts'
import { awaitEnd, call, completeSearch, createSearch, failSearch, otherKey, readSearch } from '../client.ts'
import { expectRefusal } from '../refusal.ts'
import { largeSearch, smallSearch } from '../samples.ts'

const unknownId = '7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41'
const unsupported = { npis: [0], fee_schedules: [{ payer: 'Nobody', plan: 'None' }] }

const cancel = (jobId: string, key?: string): Promise<Answer> =>
  call(`/v1/searches/${jobId}/cancel`, { method: 'POST', ...(key !== undefined && { key }) })

/** An answer as text, without the request id. */
const withoutRequest = ({ status, headers, text }: Answer) =>
  [status, headers.get('Content-Type'), text.replaceAll(headers.get('X-Request-Id') ?? '', '<request id>')].join('\n')

describe('cancelling a search', () => {
  it('that was just created either succeeds or conflicts, and the job agrees', async () => {
    const { job_id } = await createSearch(largeSearch)
    const answer = await cancel(job_id)
    const ended = await awaitEnd(job_id)
    if (answer.status === 409) {
      expectRefusal(answer, [409, 'conflict'])
      expect(ended.status).toBe('completed')
      return
    }
    const body: SearchBody = JSON.parse(answer.text)
    expect(answer.status).toBe(200)
    expect(body).toEqual(ended)
    expect(body).toMatchObject({ job_id, status: 'failed', error: expect.stringMatching(/^cancelled: \w.*\.$/) })
    expect(Object.keys(body).sort()).toEqual(['created_at', 'error', 'job_id', 'status', 'status_url'])
  })

  it('succeeds for at least one of many new searches, which then stay cancelled', async () => {
    // Cancel each as soon as it is created: on a busy machine earlier ones may already have ended.
    const cancellations = Array.from({ length: 8 }, async () => {
      const { job_id } = await createSearch(largeSearch)
      return { job_id, answer: await cancel(job_id) }
    })
    const answers = await Promise.all(cancellations)
    const cancelled = answers.filter(({ answer }) => answer.status === 200)
    expect(cancelled.length).toBeGreaterThan(0)
    await Promise.all(answers.map(({ job_id }) => awaitEnd(job_id)))
    for (const { job_id, answer } of cancelled) {
      expect(await readSearch(job_id)).toEqual(JSON.parse(answer.text))
      const again = await cancel(job_id)
      expect([again.status, again.text]).toEqual([200, answer.text])
      expect(again.headers.get('Retry-After')).toBeNull()
      expect(again.headers.get('Cache-Control')).toBe('no-store')
    }
  })

  it.each([
    ['completed', () => completeSearch(smallSearch)],
    ['failed for another reason', () => failSearch(unsupported)],
  ])('that has %s is refused with 409 and does not change it', async (_, run) => {
    const { job_id } = await run()
    const before = await readSearch(job_id)
    expectRefusal(await cancel(job_id), [409, 'conflict'])
    const { status } = await readSearch(job_id)
    expect(status).toBe(before.status)
  })
})

describe('a cancellation is refused', () => {
  it("for an unknown, malformed or another organization's id, with the same bytes as a GET", async () => {
    const { job_id } = await createSearch(smallSearch)
    const nothing = withoutRequest(await call(`/v1/searches/${unknownId}`))
    for (const id of [unknownId, 'not-a-uuid', unknownId.toUpperCase(), '%00', job_id])
      expect(withoutRequest(await cancel(id, otherKey))).toBe(nothing)
    expect((await awaitEnd(job_id)).status).toBe('completed')
  })

  it('without a key', async () => {
    const { job_id } = await createSearch(smallSearch)
    expectRefusal(await call(`/v1/searches/${job_id}/cancel`, { method: 'POST', key: null }), [401, 'unauthorized'])
    expect((await awaitEnd(job_id)).status).toBe('completed')
  })

  it.each(['GET', 'PUT', 'DELETE'])('with the method %s', async (method) => {
    const answer = await call(`/v1/searches/${unknownId}/cancel`, { method })
    expectRefusal(answer, [405, 'method_not_allowed'])
    expect(answer.headers.get('Allow')).toBe('POST')
  })
})
