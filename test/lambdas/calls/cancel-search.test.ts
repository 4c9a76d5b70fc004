import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { protectiveHeaders } from '../../../contract/headers.ts'
import { addSeconds } from '../../../core/time.ts'
import { endedAt, touchedAt } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { storeJobOf } from '../../builders/stored-search.ts'
import { openAthena } from '../../local/athena/test-athena.ts'
import { access, jobs, openSearchApi, publicBaseUrl, refusal, retentionDays } from '../search-api.ts'

/** The API at a time when the job is young and has just ended, if it has. */
function openYoungApi(...[broken]: Parameters<typeof openSearchApi>) {
  const api = openSearchApi(broken)
  api.clock.now = endedAt
  return api
}

const cancelledBody = (jobId: string) => ({
  job_id: jobId,
  status: 'failed',
  created_at: '2026-11-20T09:30:00.123+00:00',
  status_url: `${publicBaseUrl}/v1/searches/${jobId}`,
  error: 'cancelled: The search was cancelled on request.',
})

describe("cancelling one of the caller's jobs", () => {
  it.each(['queued', 'processing'] as const)('that is %s fails it, here and for GET', async (status) => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, status)
    const api = openYoungApi()
    const answer = await api.cancelSearch(jobId, { token })
    expect([answer.status, answer.body]).toEqual([200, cancelledBody(jobId)])
    expect(answer.headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...protectiveHeaders,
      'X-Request-Id': answer.requestId,
    })
    expect((await api.getSearch(jobId, { token })).body).toEqual(cancelledBody(jobId))
    expect(await jobs.touch(await storedRun(orgId, jobId), touchedAt)).toBe('superseded')
  })

  it('returns the same bytes again, for any request body', async () => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, 'processing')
    const api = openYoungApi()
    const first = await api.cancelSearch(jobId, { token })
    api.clock.now = addSeconds(endedAt, 3600)
    const again = await api.cancelSearch(jobId, { token, body: '{"really":true}' })
    expect([again.status, again.text]).toEqual([200, first.text])
  })

  it('stops its query', async () => {
    // Without capacity, a started query waits until it is stopped.
    const athena = await openAthena({ queriesAtOnce: 0 })
    onTestFinished(() => athena.close())
    const queries = createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' }, athena.client)
    const { token, orgId } = await storeKey(access)
    const job = await storeJobOf(orgId, 'processing')
    const queryId = await athena.start(
      "UNLOAD (SELECT npi FROM rates) TO 's3://results/out/' WITH (format = 'PARQUET')",
    )
    await jobs.noteQuery(job, { queryId, attempt: 1 }, touchedAt)
    expect(await queries.look(queryId)).toEqual({ state: 'running' })
    expect((await openYoungApi({ queries }).cancelSearch(job.jobId, { token })).status).toBe(200)
    expect(await queries.look(queryId)).toMatchObject({ state: 'failed', reason: 'Query cancelled by user' })
  })

  it('succeeds even if its query cannot be stopped, which is logged', async () => {
    const { token, orgId } = await storeKey(access)
    const job = await storeJobOf(orgId, 'processing')
    await jobs.noteQuery(job, { queryId: 'query-1', attempt: 1 }, touchedAt)
    const api = openYoungApi({ queries: { stop: () => Promise.reject(new Error('Athena is unavailable')) } })
    const answer = await api.cancelSearch(job.jobId, { token })
    expect([answer.status, answer.body]).toEqual([200, cancelledBody(job.jobId)])
    expect(answer.text).not.toContain('Athena')
    expect(api.log.map(({ event }) => event)).toEqual(['query not stopped', 'answered'])
  })

  it.each(['completed', 'failed'] as const)('that has %s is a conflict and changes nothing', async (status) => {
    const { token, orgId } = await storeKey(access)
    const job = await storeJobOf(orgId, status)
    const before = await jobs.read(job)
    const answer = await openYoungApi().cancelSearch(job.jobId, { token })
    expect([answer.status, answer.body]).toEqual([409, refusal('conflict', answer.requestId)])
    expect(await jobs.read(job)).toEqual(before)
  })
})

describe('a job that the caller may not cancel', () => {
  it('gives the same 404 as GET, and keeps running', async () => {
    const { token, orgId } = await storeKey(access)
    const foreign = await storeJobOf((await storeKey(access)).orgId, 'processing')
    const expired = await storeJobOf(orgId, 'failed')
    const api = openYoungApi()
    api.clock.now = addSeconds(endedAt, retentionDays * 24 * 3600)
    const ids = [randomUUID(), foreign.jobId, expired.jobId, 'not-a-uuid', '', '%zz', 'x'.repeat(5000)]
    const answers = await Promise.all(
      ids.flatMap((jobId) => [api.cancelSearch(jobId, { token }), api.getSearch(jobId, { token })]),
    )
    const bytes = answers.map(({ status, text, headers, requestId }) =>
      JSON.stringify([status, text, headers]).replaceAll(requestId, ''),
    )
    expect(answers[0]?.status).toBe(404)
    expect(new Set(bytes).size).toBe(1)
    expect(await jobs.read(foreign)).toMatchObject({ status: 'processing' })
  })
})

async function storedRun(orgId: string, jobId: string) {
  const job = await jobs.read({ orgId, jobId })
  if (job === undefined) throw new Error('the job is gone')
  return job
}
