import { describe, expect, it } from 'vitest'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { JobStatus } from '../../../core/job/job.ts'
import { endedAt, storeJob } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { access, jobs, openSearchApi } from '../search-api.ts'

/** A stored job, and the API when it has just ended, if it has. */
async function openJob(status: JobStatus) {
  const { token, orgId, keyId } = await storeKey(access)
  const { jobId } = await storeJob(jobs, status, { orgId })
  const api = openSearchApi()
  api.clock.now = endedAt
  return { api, token, orgId, keyId, jobId }
}

/** What every answer has. */
const headersOf = (requestId: string) => ({
  'Cache-Control': 'no-store',
  ...protectiveHeaders,
  'X-Request-Id': requestId,
})

describe("one of the caller's jobs", () => {
  it.each([
    ['queued', { 'Retry-After': '15' }],
    ['failed', {}],
  ] as const)('that is %s says when to poll again only if it has not ended', async (status, polling) => {
    const { api, token, jobId } = await openJob(status)
    const { headers, requestId } = await api.getSearch(jobId, { token })
    expect(headers).toEqual({ 'Content-Type': 'application/json', ...headersOf(requestId), ...polling })
  })

  it('that is deleted answers 204 without a body', async () => {
    const { api, token, jobId } = await openJob('failed')
    const answer = await api.deleteSearch(jobId, { token })
    expect([answer.status, answer.text, answer.headers]).toEqual([204, '', headersOf(answer.requestId)])
  })

  it('is in the log by its id, without its URLs', async () => {
    const { api, token, orgId, keyId, jobId } = await openJob('completed')
    const { text, requestId } = await api.getSearch(jobId, { token })
    expect(text).toContain('X-Amz-Signature')
    const request = { request_id: requestId, org_id: orgId, key_id: keyId, address: '192.0.2.1' }
    expect(api.log).toEqual([{ event: 'answered', facts: { ...request, status: 200, job_id: jobId } }])
  })
})
