import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { JobStatus } from '../../../core/job/job.ts'
import { endedAt } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { storeJobOf } from '../../builders/stored-search.ts'
import { access, openSearchApi, publicBaseUrl, refusal } from '../search-api.ts'

/** A stored job, and the API when it has just ended, if it has. */
async function openJob(status: JobStatus) {
  const { token, orgId, keyId } = await storeKey(access)
  const { jobId } = await storeJobOf(orgId, status)
  const api = openSearchApi()
  api.clock.now = endedAt
  return { api, token, orgId, keyId, jobId }
}

const bodyOf = (jobId: string, status: JobStatus) => ({
  job_id: jobId,
  status,
  created_at: '2026-11-20T09:30:00.123+00:00',
  status_url: `${publicBaseUrl}/v1/searches/${jobId}`,
})

/** What every answer has. */
const headersOf = (requestId: string) => ({
  'Cache-Control': 'no-store',
  ...protectiveHeaders,
  'X-Request-Id': requestId,
})

describe("one of the caller's jobs", () => {
  it.each(['queued', 'processing'] as const)('that is %s says when to poll again', async (status) => {
    const { api, token, jobId } = await openJob(status)
    const answer = await api.getSearch(jobId, { token })
    expect([answer.status, answer.body]).toEqual([200, bodyOf(jobId, status)])
    expect(answer.headers).toMatchObject({ 'Retry-After': expect.stringMatching(/^\d+$/) })
  })

  it('that failed says why, with 200 and no Retry-After', async () => {
    const { api, token, jobId } = await openJob('failed')
    const answer = await api.getSearch(jobId, { token })
    expect([answer.status, answer.body]).toEqual([200, { ...bodyOf(jobId, 'failed'), error: 'internal: It broke.' }])
    expect(answer.headers).toEqual({ 'Content-Type': 'application/json', ...headersOf(answer.requestId) })
  })

  it('that is completed has its URLs, which are not in the log', async () => {
    const { api, token, orgId, keyId, jobId } = await openJob('completed')
    const { status, text, requestId } = await api.getSearch(jobId, { token })
    expect([status, JSON.parse(text).download_urls]).toEqual([200, [expect.any(String), expect.any(String)]])
    expect(text).toContain('X-Amz-Signature')
    const facts = {
      request_id: requestId,
      org_id: orgId,
      key_id: keyId,
      status: 200,
      address: '192.0.2.1',
      job_id: jobId,
    }
    expect(api.log).toEqual([{ event: 'answered', facts }])
  })

  it('has a manifest, which must not be cached', async () => {
    const { api, token, jobId } = await openJob('queued')
    const answer = await api.getManifest(jobId, { token })
    expect([answer.status, answer.body]).toMatchObject([200, { job_id: jobId, status: 'queued', attempts: [] }])
    expect(answer.headers).toEqual({ 'Content-Type': 'application/json', ...headersOf(answer.requestId) })
  })

  it('that is cancelled answers 200 with the failed job, whatever the body, and again', async () => {
    const { api, token, jobId } = await openJob('processing')
    const answer = await api.cancelSearch(jobId, { token, body: '{"really":true}' })
    const error = 'cancelled: The search was cancelled on request.'
    expect([answer.status, answer.body]).toEqual([200, { ...bodyOf(jobId, 'failed'), error }])
    expect(answer.headers).toEqual({ 'Content-Type': 'application/json', ...headersOf(answer.requestId) })
    expect((await api.cancelSearch(jobId, { token })).text).toBe(answer.text)
  })

  it('that is deleted answers 204 without a body', async () => {
    const { api, token, jobId } = await openJob('failed')
    const answer = await api.deleteSearch(jobId, { token })
    expect([answer.status, answer.text, answer.headers]).toEqual([204, '', headersOf(answer.requestId)])
  })

  it.each([
    ['cancelled', 'completed', 'cancelSearch'],
    ['deleted', 'queued', 'deleteSearch'],
  ] as const)('that cannot be %s is a 409', async (_, status, call) => {
    const { api, token, jobId } = await openJob(status)
    const answer = await api[call](jobId, { token })
    expect([answer.status, answer.body]).toEqual([409, refusal('conflict', answer.requestId)])
  })
})

describe('a job that the caller may not see', () => {
  it.each(['getSearch', 'getManifest', 'cancelSearch', 'deleteSearch'] as const)(
    'is always the same 404 of %s, and no part of its path is logged but a job id',
    async (call) => {
      const { api, jobId: foreign } = await openJob('completed')
      const { token } = await storeKey(access)
      const ids = [randomUUID(), foreign, foreign.toUpperCase(), 'not-a-uuid', '', '%zz', '\u0000', 'x'.repeat(5000)]
      const answers = await Promise.all(ids.map((jobId) => api[call](jobId, { token })))
      for (const { status, body, requestId } of answers)
        expect([status, body]).toEqual([404, refusal('not_found', requestId)])
      const bytes = answers.map(({ text, headers, requestId }) =>
        JSON.stringify([text, headers]).replaceAll(requestId, ''),
      )
      expect(new Set(bytes).size).toBe(1)
      const logged = new Set(api.log.map(({ facts }) => facts['job_id']))
      expect(logged).toEqual(new Set([...ids.slice(0, 2), undefined]))
    },
  )
})
