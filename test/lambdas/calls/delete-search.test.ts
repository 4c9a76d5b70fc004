import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { CompletedSearchBody } from '../../../contract/search-api.ts'
import type { CompletedJob } from '../../../core/job/job.ts'
import { addSeconds } from '../../../core/time.ts'
import { completedBy, endedAt, expiresAt, newJob, request } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { storeJobOf } from '../../builders/stored-search.ts'
import { access, endpoints, jobs, openSearchApi, refusal, retentionDays } from '../search-api.ts'

const files = createS3ResultFiles(endpoints.resultsBucket)

/** The API at a time when the job is young and has just ended, if it has. */
function openYoungApi(...[broken]: Parameters<typeof openSearchApi>) {
  const api = openSearchApi(broken)
  api.clock.now = endedAt
  return api
}

/** A job that has just completed, with its files. */
async function storeResult(orgId: string, facts: { readonly jobId?: string; readonly createdAt?: Date } = {}) {
  const job = newJob({ orgId, createdAt: new Date(), ...facts })
  const completed: CompletedJob = { ...completedBy(job), completedAt: new Date() }
  for (const { key } of completed.shards) await files.write(key, Buffer.from(key))
  await jobs.create(job, request, expiresAt)
  await jobs.begin(job, ['source-1'], job.createdAt)
  await jobs.complete(completed, expiresAt)
  return job
}

async function download(urls: readonly string[]): Promise<readonly number[]> {
  return Promise.all(urls.map(async (url) => (await fetch(url)).status))
}

describe("deleting one of the caller's jobs", () => {
  it('removes the job and its files, so that its URLs stop working', async () => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeResult(orgId)
    const api = openSearchApi()
    const { download_urls: urls }: CompletedSearchBody = JSON.parse((await api.getSearch(jobId, { token })).text)
    expect(await download(urls)).toEqual([200, 200])
    const answer = await api.deleteSearch(jobId, { token })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers).toEqual({
      'Cache-Control': 'no-store',
      ...protectiveHeaders,
      'X-Request-Id': answer.requestId,
    })
    for (const status of await download(urls)) expect([403, 404]).toContain(status)
    const late = [api.getSearch, api.deleteSearch, api.cancelSearch].map((call) => call(jobId, { token }))
    for (const { status, body, requestId } of await Promise.all(late))
      expect([status, body]).toEqual([404, refusal('not_found', requestId)])
  })

  it('removes a failed job too', async () => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, 'failed')
    const api = openYoungApi()
    expect((await api.deleteSearch(jobId, { token })).status).toBe(204)
    expect((await api.getSearch(jobId, { token })).status).toBe(404)
  })

  it.each(['queued', 'processing'] as const)('is a conflict while it is %s, until it is cancelled', async (status) => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, status)
    const api = openYoungApi()
    const answer = await api.deleteSearch(jobId, { token })
    expect([answer.status, answer.body]).toEqual([409, refusal('conflict', answer.requestId)])
    expect(answer.text).toContain('cancel it first')
    expect((await api.getSearch(jobId, { token })).body).toMatchObject({ status })
    expect((await api.cancelSearch(jobId, { token })).status).toBe(200)
    expect((await api.deleteSearch(jobId, { token })).status).toBe(204)
  })

  it('allows its id to be reused, with only the new files', async () => {
    const { token, orgId } = await storeKey(access)
    const { jobId, createdAt: first } = await storeResult(orgId)
    const api = openSearchApi()
    await api.deleteSearch(jobId, { token })
    await storeResult(orgId, { jobId, createdAt: addSeconds(first, 1) })
    const { download_urls: urls }: CompletedSearchBody = JSON.parse((await api.getSearch(jobId, { token })).text)
    expect(await download(urls)).toEqual([200, 200])
  })
})

describe('a job that the caller may not delete', () => {
  it('gives the same 404 as GET, and stays', async () => {
    const { token, orgId } = await storeKey(access)
    const foreign = await storeJobOf((await storeKey(access)).orgId, 'completed')
    const expired = await storeJobOf(orgId, 'completed')
    const api = openYoungApi()
    api.clock.now = addSeconds(endedAt, retentionDays * 24 * 3600)
    const ids = [randomUUID(), foreign.jobId, expired.jobId, 'not-a-uuid', '', '%zz', 'x'.repeat(5000)]
    const answers = await Promise.all(
      ids.flatMap((jobId) => [api.deleteSearch(jobId, { token }), api.getSearch(jobId, { token })]),
    )
    const bytes = answers.map(({ status, text, headers, requestId }) =>
      JSON.stringify([status, text, headers]).replaceAll(requestId, ''),
    )
    expect(answers[0]?.status).toBe(404)
    expect(new Set(bytes).size).toBe(1)
    expect(await jobs.read(foreign)).toMatchObject({ status: 'completed' })
  })
})
