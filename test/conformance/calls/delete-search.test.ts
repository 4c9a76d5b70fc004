import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../../contract/search-api.ts'
import type { Answer } from '../client.ts'
import { awaitEnd, call, completeSearch, createSearch, failSearch, postSearch, service } from '../client.ts'
import { expectRefusal } from '../refusal.ts'
import { largeSearch, smallSearch } from '../samples.ts'

const unsupported = { npis: [0], fee_schedules: [{ payer: 'Nobody', plan: 'None' }] }

/** S3 answers 403 for a missing file, because the role that signs URLs may not list results; emulators answer 404. */
const goneStatus = service.allowsUnsigned ? 404 : 403

const remove = (jobId: string): Promise<Answer> => call(`/v1/searches/${jobId}`, { method: 'DELETE' })

describe('deleting a search', () => {
  it('deletes a completed job and its files, so that their URLs stop working', async () => {
    const { job_id, download_urls: urls } = await completeSearch(smallSearch)
    const otherSearch = await completeSearch(smallSearch)
    for (const url of urls) expect((await fetch(url)).status).toBe(200)
    const answer = await remove(job_id)
    expect([answer.status, answer.text]).toEqual([204, ''])
    for (const url of urls) expect((await fetch(url)).status).toBe(goneStatus)
    expectRefusal(await call(`/v1/searches/${job_id}`), [404, 'not_found'])
    for (const url of otherSearch.download_urls) expect((await fetch(url)).status).toBe(200)
  })

  it('deletes a failed job, which no call finds any more', async () => {
    const { job_id } = await failSearch(unsupported)
    expect((await remove(job_id)).status).toBe(204)
    expectRefusal(await call(`/v1/searches/${job_id}`), [404, 'not_found'])
    expectRefusal(await call(`/v1/searches/${job_id}/manifest`), [404, 'not_found'])
    expectRefusal(await call(`/v1/searches/${job_id}/cancel`, { method: 'POST' }), [404, 'not_found'])
    expectRefusal(await remove(job_id), [404, 'not_found'])
  })

  it('conflicts (409) while the search is running, and the search continues', async () => {
    // Delete each as soon as it is created: on a busy machine earlier ones may already have ended.
    const removals = Array.from({ length: 6 }, async () => {
      const { job_id } = await createSearch(largeSearch)
      return { job_id, answer: await remove(job_id) }
    })
    const refused = (await Promise.all(removals)).filter(({ answer }) => answer.status !== 204)
    expect(refused.length).toBeGreaterThan(0)
    for (const { answer } of refused) expectRefusal(answer, [409, 'conflict'])
    for (const { job_id } of refused) expect((await awaitEnd(job_id)).status).toBe('completed')
  })

  it('frees its Idempotency-Key, so that the same search under it is a new job with new files', async () => {
    const headers = { 'Idempotency-Key': randomUUID() }
    const post = async () => {
      const answer = await postSearch(JSON.stringify(smallSearch), { headers })
      const { job_id }: SearchBody = JSON.parse(answer.text)
      return { job_id, replayed: answer.headers.get('Idempotent-Replayed') }
    }
    const first = await post()
    const before = await awaitEnd(first.job_id)
    expect((await remove(first.job_id)).status).toBe(204)
    expect(await post()).toEqual({ job_id: first.job_id, replayed: null })
    const after = await awaitEnd(first.job_id)
    if (before.status === 'failed' || after.status === 'failed') throw new Error('the search failed')
    for (const url of after.download_urls) expect((await fetch(url)).status).toBe(200)
    for (const url of before.download_urls) expect((await fetch(url)).status).toBe(goneStatus)
    expect(await post()).toEqual({ job_id: first.job_id, replayed: 'true' })
  })

  it('deletes a cancelled job', async () => {
    const { job_id } = await createSearch(largeSearch)
    await call(`/v1/searches/${job_id}/cancel`, { method: 'POST' })
    expect((await remove(job_id)).status).toBe(204)
    expectRefusal(await call(`/v1/searches/${job_id}`), [404, 'not_found'])
  })
})
