import { describe, expect, it } from 'vitest'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { JobStatus } from '../../../core/job/job.ts'
import { endedAt, storeJob } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { access, jobs, openSearchApi } from '../search-api.ts'

/** Stores a job, and opens the API with its clock at the end of ended jobs. */
async function openJob(status: JobStatus) {
  const { token, orgId, keyId } = await storeKey(access)
  const { jobId } = await storeJob(jobs, status, { orgId })
  const api = openSearchApi()
  api.clock.now = endedAt
  return { api, token, orgId, keyId, jobId }
}

/** Headers of every answer. */
const headersOf = (requestId: string) => ({
  'Cache-Control': 'no-store',
  ...protectiveHeaders,
  'X-Request-Id': requestId,
})

describe('the answer about one of the caller’s jobs', () => {
  it.each([
    ['queued', { 'Retry-After': '15' }],
    ['failed', {}],
  ] as const)('tells when to poll again only before the job has ended: %s', async (status, polling) => {
    const { api, token, jobId } = await openJob(status)
    const { headers, requestId } = await api.getSearch(jobId, { token })
    const tag = { ETag: expect.stringMatching(/^W\/"/) }
    expect(headers).toEqual({ 'Content-Type': 'application/json', ...headersOf(requestId), ...tag, ...polling })
  })

  it('confirms a deletion with 204 and no body', async () => {
    const { api, token, jobId } = await openJob('failed')
    const answer = await api.deleteSearch(jobId, { token })
    expect([answer.status, answer.text, answer.headers]).toEqual([204, '', headersOf(answer.requestId)])
  })

  it('leaves the job’s id in the log, without its URLs', async () => {
    const { api, token, orgId, keyId, jobId } = await openJob('completed')
    const { text, requestId } = await api.getSearch(jobId, { token })
    expect(text).toContain('X-Amz-Signature')
    const request = { request_id: requestId, org_id: orgId, key_id: keyId, address: '192.0.2.1' }
    expect(api.log).toEqual([{ event: 'answered', facts: { ...request, status: 200, job_id: jobId } }])
  })
})
