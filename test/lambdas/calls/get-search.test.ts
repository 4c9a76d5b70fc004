import { randomUUID } from 'node:crypto'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import { protectiveHeaders } from '../../../contract/headers.ts'
import type { CompletedSearchBody } from '../../../contract/search-api.ts'
import type { CompletedJob } from '../../../core/job/job.ts'
import { addSeconds } from '../../../core/time.ts'
import { completedBy, endedAt, expiresAt, newJob, request } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { storeJobOf } from '../../builders/stored-search.ts'
import { forward, type HttpStub, startHttpStub } from '../../doubles/http-stub.ts'
import { access, endpoints, jobs, openSearchApi, publicBaseUrl, refusal, retentionDays } from '../search-api.ts'

/** The API at a time when the job is young and has just ended, if it has. */
function openYoungApi(...[broken]: Parameters<typeof openSearchApi>) {
  const api = openSearchApi(broken)
  api.clock.now = endedAt
  return api
}

describe("one of the caller's jobs", () => {
  it.each(['queued', 'processing'] as const)('that is %s says when to poll again', async (status) => {
    const { token, orgId } = await storeKey(access)
    const { jobId, createdAt } = await storeJobOf(orgId, status)
    const api = openSearchApi()
    const retries = []
    for (const age of [0, 19.999, 20, 3600]) {
      api.clock.now = addSeconds(createdAt, age)
      const answer = await api.getSearch(jobId, { token })
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          job_id: jobId,
          status,
          created_at: '2026-11-20T09:30:00.123+00:00',
          status_url: `${publicBaseUrl}/v1/searches/${jobId}`,
        },
      ])
      retries.push(answer.headers['Retry-After'])
    }
    expect(retries).toEqual(['2', '2', '15', '15'])
  })

  it('that failed says why, with 200 and no Retry-After', async () => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, 'failed')
    const answer = await openYoungApi().getSearch(jobId, { token })
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        job_id: jobId,
        status: 'failed',
        created_at: '2026-11-20T09:30:00.123+00:00',
        status_url: `${publicBaseUrl}/v1/searches/${jobId}`,
        error: 'internal: It broke.',
      },
    ])
    expect(answer.headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...protectiveHeaders,
      'X-Request-Id': answer.requestId,
    })
  })

  it('that is completed has working download URLs and their expiry', async () => {
    const { token, orgId } = await storeKey(access)
    const job = newJob({ orgId, createdAt: new Date() })
    const completed: CompletedJob = { ...completedBy(job, 1), completedAt: new Date() }
    for (const { key } of completed.shards)
      await createS3ResultFiles(endpoints.resultsBucket).write(key, Buffer.from(key))
    await jobs.create(job, request, expiresAt)
    await jobs.begin(job, ['source-1'], job.createdAt)
    await jobs.complete(completed, expiresAt)
    const api = openSearchApi()
    const answer = await api.getSearch(job.jobId, { token })
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('Retry-After')
    const body: CompletedSearchBody = JSON.parse(answer.text)
    expect(Object.keys(body).sort()).toEqual(
      ['job_id', 'status', 'created_at', 'completed_at', 'download_urls', 'expires_at', 'status_url'].sort(),
    )
    expect(body.completed_at).toBe(completed.completedAt.toISOString().replace('Z', '+00:00'))
    const secondsLeft = (new Date(body.expires_at).getTime() - api.clock.now.getTime()) / 1000
    expect(secondsLeft).toBeGreaterThan(3590)
    expect(secondsLeft).toBeLessThanOrEqual(3600)
    const downloads = await Promise.all(body.download_urls.map((url) => fetch(url)))
    expect(await Promise.all(downloads.map((download) => download.text()))).toEqual(
      completed.shards.map(({ key }) => key),
    )
    const names = [1, 2].map((number) => `attachment; filename="${job.jobId}-000${number}.parquet"`)
    expect(downloads.map(({ headers }) => headers.get('content-disposition'))).toEqual(names)
  })
})

describe('a job that the caller may not see', () => {
  it('always gives the same 404', async () => {
    const { token } = await storeKey(access)
    const foreign = await storeJobOf((await storeKey(access)).orgId, 'completed')
    const api = openYoungApi()
    const ids = [
      randomUUID(),
      foreign.jobId,
      foreign.jobId.toUpperCase(),
      'not-a-uuid',
      '',
      '../searches',
      '%zz',
      '\u0000',
      'x'.repeat(5000),
      '00000000-0000-0000-0000-000000000000',
    ]
    const answers = await Promise.all(ids.map((jobId) => api.getSearch(jobId, { token })))
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([404, refusal('not_found', answer.requestId)])
      expect(answer.headers['X-Request-Id']).toBe(answer.requestId)
    }
    const bytes = answers.map(({ text, headers, requestId }) =>
      JSON.stringify([text, headers]).replaceAll(requestId, ''),
    )
    expect(new Set(bytes).size).toBe(1)
  })

  it.each(['completed', 'failed'] as const)(
    'includes a %s job after its retention, to the millisecond',
    async (status) => {
      const { token, orgId } = await storeKey(access)
      const { jobId } = await storeJobOf(orgId, status)
      const api = openSearchApi()
      const retained = addSeconds(endedAt, retentionDays * 24 * 3600)
      api.clock.now = new Date(retained.getTime() - 1)
      // A completed job is found, but signing fails: by this clock today's credentials have expired.
      expect((await api.getSearch(jobId, { token })).status).toBe(status === 'failed' ? 200 : 500)
      api.clock.now = retained
      const answer = await api.getSearch(jobId, { token })
      expect([answer.status, answer.body]).toEqual([404, refusal('not_found', answer.requestId)])
    },
  )

  it('does not include a running job, however old', async () => {
    const { token, orgId } = await storeKey(access)
    const { jobId, createdAt } = await storeJobOf(orgId, 'processing')
    const api = openSearchApi()
    api.clock.now = addSeconds(createdAt, 365 * 24 * 3600)
    expect((await api.getSearch(jobId, { token })).status).toBe(200)
  })
})

describe('a poll whose batch read finds a completed job without its shards', () => {
  /** A DynamoDB whose first response has no shards; `meanwhile` runs right after it. */
  const openTornDynamo = async (meanwhile: () => Promise<unknown> = async () => {}) => {
    const url = endpoints.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? ''
    const stub: HttpStub = await startHttpStub(async (call) => {
      const answer = await forward(url, call)
      if (stub.calls.length > 1) return answer
      await meanwhile()
      const { Responses } = JSON.parse(answer.body)
      const jobItems = Responses[endpoints.tables.jobs].filter(
        ({ shards }: Record<string, unknown>) => shards === undefined,
      )
      return {
        status: 200,
        body: JSON.stringify({ Responses: { ...Responses, [endpoints.tables.jobs]: jobItems }, UnprocessedKeys: {} }),
      }
    })
    return { ...stub, dynamo: DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: stub.url })) }
  }

  it('answers 200 with all URLs if the job was completed between the two reads', async () => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, 'completed')
    await using torn = await openTornDynamo()
    const answer = await openYoungApi({ dynamo: torn.dynamo }).getSearch(jobId, { token })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text).download_urls).toHaveLength(2)
  })

  it('answers 404 if the job was deleted between the two reads', async () => {
    const { token, orgId } = await storeKey(access)
    const job = await storeJobOf(orgId, 'completed')
    await using torn = await openTornDynamo(async () => {
      await jobs.noteAnnounced(job)
      await jobs.remove(job)
    })
    const answer = await openYoungApi({ dynamo: torn.dynamo }).getSearch(job.jobId, { token })
    expect([answer.status, answer.body]).toEqual([404, refusal('not_found', answer.requestId)])
  })
})

describe('the log', () => {
  it('has the job and the status, but neither key nor URL', async () => {
    const { token, orgId, keyId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, 'completed')
    const api = openYoungApi()
    const { requestId, text } = await api.getSearch(jobId, { token })
    const accepted = { org_id: orgId, key_id: keyId }
    const facts = { request_id: requestId, ...accepted, status: 200, address: '192.0.2.1', job_id: jobId }
    expect(api.log).toEqual([{ event: 'answered', facts }])
    expect(text).toContain('X-Amz-Signature')
    expect(JSON.stringify(api.log)).not.toMatch(/X-Amz|http|rates_/)
  })
})
