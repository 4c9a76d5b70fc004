import { describe, expect, it } from 'vitest'
import { issueApiKey } from '../../../core/access/api-key.ts'
import { getSearch } from '../../../core/calls/get-search.ts'
import { Forbidden, NotFound, Unauthorized } from '../../../core/errors.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { CompletedJob } from '../../../core/job/job.ts'
import { openSearch, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { jobIdOf, newJob, runOf } from '../../builders/sample-search.ts'
import { createMemoryAccess, createMemoryJobLookup, createMemorySigner } from '../../doubles/memory-access.ts'

const { stored: key } = issueApiKey('Org123456789')
const { stored: other } = issueApiKey('Org000000000')
const { stored: revoked } = issueApiKey('Org123456789')
const { stored: unknown } = issueApiKey('Org123456789')
const organizations = [
  { orgId: key.orgId, name: 'Acme', active: true },
  { orgId: other.orgId, name: 'Zenith', active: true },
]
const orgId = key.orgId
const day = 24 * 60 * 60

function openGet() {
  const search = openSearch()
  const access = createMemoryAccess(organizations, [key, other, { ...revoked, revokedAt: search.clock.now() }])
  const deps = {
    ...search.deps,
    access,
    lookup: createMemoryJobLookup(access, search.jobs),
    signer: createMemorySigner(new Date('2026-11-20T10:30:00.000Z')),
    publicBaseUrl: 'https://rates.example/prod',
  }
  return { ...search, search, deps, get: (jobId: string, presented = key) => getSearch(deps, presented, jobId) }
}

type OpenGet = ReturnType<typeof openGet>

/** Stores a completed job with two shards. */
async function storeCompleted({ search, jobs, clock }: OpenGet): Promise<CompletedJob> {
  const run = await storeProcessing(search, { orgId })
  const { createdAt, requestHash } = newJob()
  const shards = ['a', 'b'].map((name) => ({ key: `${attemptPrefix(run, 1)}${name}`, bytes: 10, rows: 1 }))
  const base = { ...run, createdAt, requestHash, attempt: 1, shards }
  const job = { ...base, status: 'completed', completedAt: clock.now() } as const
  await jobs.complete(job, clock.now())
  return job
}

describe('a search', () => {
  it('that is queued has a time to poll again', async () => {
    const open = openGet()
    const { jobId } = await storeQueued(open.search, { orgId })
    const answer = await open.get(jobId)
    expect(answer).toMatchObject({ body: { job_id: jobId, status: 'queued' }, retryAfter: 2 })
    open.clock.advance(20)
    expect(await open.get(jobId)).toMatchObject({ retryAfter: 15 })
  })

  it('that is processing has that status', async () => {
    const open = openGet()
    const { jobId } = await storeProcessing(open.search, { orgId })
    expect(await open.get(jobId)).toMatchObject({ body: { status: 'processing' }, retryAfter: 2 })
  })

  it('that failed has its error and no time to poll again', async () => {
    const open = openGet()
    const job = await storeQueued(open.search, { orgId })
    await open.jobs.fail({ ...runOf(job), failedAt: open.clock.now(), error: 'internal: x' }, open.clock.now())
    const answer = await open.get(job.jobId)
    expect(answer).not.toHaveProperty('retryAfter')
    expect(answer.body).toMatchObject({ status: 'failed', error: 'internal: x' })
  })

  it('that is completed has one URL per shard, each with its own file name', async () => {
    const open = openGet()
    const { jobId, shards } = await storeCompleted(open)
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

describe('nothing is found', () => {
  it.each(['unknown', 'malformed', "another organization's", 'expired'])('for a job id that is %s', async (kind) => {
    const open = openGet()
    const { jobId } = await storeCompleted(open)
    if (kind === 'expired') open.clock.advance(7 * day)
    const asked = kind === 'unknown' ? jobIdOf('unknown') : kind === 'malformed' ? '../etc' : jobId
    const answer = open.get(asked, kind === "another organization's" ? other : key)
    await expect(answer).rejects.toThrow(NotFound)
    await expect(answer).rejects.toThrow(new NotFound().message)
  })

  it('once the retention is over, and not before', async () => {
    const open = openGet()
    const { jobId } = await storeCompleted(open)
    open.clock.advance(7 * day - 0.001)
    expect(await open.get(jobId)).toMatchObject({ body: { status: 'completed' } })
  })
})

describe('a wrong key', () => {
  it.each(['known', 'unknown', 'malformed'])('learns nothing about a job id that is %s', async (kind) => {
    const open = openGet()
    const { jobId } = await storeQueued(open.search, { orgId })
    const asked = kind === 'known' ? jobId : kind === 'unknown' ? jobIdOf('unknown') : 'no id'
    await expect(open.get(asked, unknown)).rejects.toThrow(Unauthorized)
    await expect(open.get(asked, revoked)).rejects.toThrow(Forbidden)
  })
})
