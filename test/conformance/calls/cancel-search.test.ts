import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../../contract/search-api.ts'
import type { Answer } from '../client.ts'
import { awaitEnd, call, completeSearch, createSearch, failSearch, readSearch } from '../client.ts'
import { expectRefusal } from '../refusal.ts'
import { largeSearch, smallSearch } from '../samples.ts'

const unsupported = { npis: [0], fee_schedules: [{ payer: 'Nobody', plan: 'None' }] }

const cancel = (jobId: string): Promise<Answer> => call(`/v1/searches/${jobId}/cancel`, { method: 'POST' })

describe('cancelling a search', () => {
  it('either succeeds or conflicts if the search was just created, and the job agrees', async () => {
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
      // The body of a cancellation is ignored.
      const again = await call(`/v1/searches/${job_id}/cancel`, { method: 'POST', body: '{"really":true}' })
      expect([again.status, again.text]).toEqual([200, answer.text])
      expect(again.headers.get('Retry-After')).toBeNull()
    }
  })

  it.each([
    ['completed', () => completeSearch(smallSearch)],
    ['failed for another reason', () => failSearch(unsupported)],
  ])('conflicts (409) if the search has %s, and does not change it', async (_, run) => {
    const { job_id } = await run()
    const before = await readSearch(job_id)
    expectRefusal(await cancel(job_id), [409, 'conflict'])
    const { status } = await readSearch(job_id)
    expect(status).toBe(before.status)
  })
})
