import { describe, expect, it } from 'vitest'
import { getSearch } from '../../../core/calls/get-search.ts'
import { complete, fail, openSearch, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { createMemorySigner } from '../../doubles/memory-access.ts'

function openGet() {
  const search = openSearch()
  const deps = {
    ...search.deps,
    ...letIn(search),
    signer: createMemorySigner(new Date('2026-11-20T10:30:00.000Z')),
    publicBaseUrl: 'https://rates.example/prod',
  }
  return { search, clock: search.clock, get: (jobId: string) => getSearch(deps, ownKey, jobId) }
}

describe('a search', () => {
  it('asks the client of a queued job to poll again', async () => {
    const open = openGet()
    const { jobId } = await storeQueued(open.search)
    const answer = await open.get(jobId)
    expect(answer).toMatchObject({ body: { job_id: jobId, status: 'queued' }, retryAfter: 2 })
    open.clock.advance(20)
    expect(await open.get(jobId)).toMatchObject({ retryAfter: 15 })
  })

  it('shows the status of a processing job', async () => {
    const open = openGet()
    const { jobId } = await storeProcessing(open.search)
    expect(await open.get(jobId)).toMatchObject({ body: { status: 'processing' }, retryAfter: 2 })
  })

  it('shows the error of a failed job and no time to poll again', async () => {
    const open = openGet()
    const job = await storeQueued(open.search)
    await fail(open.search, job, 'internal: x')
    const answer = await open.get(job.jobId)
    expect(answer).not.toHaveProperty('retryAfter')
    expect(answer.body).toMatchObject({ status: 'failed', error: 'internal: x' })
  })

  it('signs one URL per shard of a completed job, each with its own file name', async () => {
    const open = openGet()
    const { jobId, shards } = await complete(open.search, await storeProcessing(open.search))
    const answer = await open.get(jobId)
    expect(answer).not.toHaveProperty('retryAfter')
    expect(answer.body).toMatchObject({
      status: 'completed',
      expires_at: '2026-11-20T10:30:00.000+00:00',
      download_urls: [
        `https://storage.example/${shards[0]?.key}?name=${jobId}-0001.parquet`,
        `https://storage.example/${shards[1]?.key}?name=${jobId}-0002.parquet`,
      ],
    })
  })
})
