import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import type { ManifestBody } from '../../../contract/search-api.ts'
import type { CompletedJob, QueuedJob } from '../../../core/job/job.ts'
import { columnsKey } from '../../../schema/columns/shard-schema.ts'
import { readTrinoFile } from '../../adapters/s3/trino-files.ts'
import { completedBy, endedAt, expiresAt, newJob, request } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { newContent, newEntry } from '../../builders/sample-search.ts'
import { storeJobOf } from '../../builders/stored-search.ts'
import { access, catalogue, contents, endpoints, jobs, openSearchApi, refusal } from '../search-api.ts'

/** The API when its jobs have just ended. */
function openYoungApi() {
  const api = openSearchApi()
  api.clock.now = endedAt
  return api
}

/** Completes a new job that read the content of a fee schedule of its own, with a file that S3 holds. */
async function storeCompleted(orgId: string): Promise<{ readonly job: QueuedJob; readonly plan: string }> {
  const [plan, contentId] = [randomUUID(), randomUUID()]
  await contents.putContent(newContent(contentId))
  await catalogue.replace(newEntry({ plan, contentId }), undefined)
  const job = newJob({ orgId, createdAt: new Date(), requestHash: randomUUID() })
  await jobs.create(job, { ...request, feeSchedules: [{ payer: 'Acme Health', plan }] }, expiresAt)
  await jobs.begin(job, [contentId], job.createdAt)
  await jobs.noteAttempt(job, { attempt: 1, outcome: 'failed', bytesScanned: 5 }, job.createdAt)
  const files = createS3ResultFiles(endpoints.resultsBucket)
  const [shard] = completedBy(job, 2).shards
  await files.write(shard?.key ?? '', readTrinoFile())
  const { schema: _, chunks: __, ...footer } = await files.readFooter(shard?.key ?? '')
  const completed: CompletedJob = { ...completedBy(job, 2), shards: [footer], bytesScanned: 6, columnsKey }
  await jobs.complete({ ...completed, completedAt: new Date() }, expiresAt)
  return { job, plan }
}

describe("the manifest of one of the caller's jobs", () => {
  it('that is completed has what it read and its files, whose URLs work', async () => {
    const { token, orgId } = await storeKey(access)
    const { job, plan } = await storeCompleted(orgId)
    const answer = await openSearchApi().getManifest(job.jobId, { token })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'Cache-Control': 'no-store', 'X-Request-Id': answer.requestId })
    const body: ManifestBody = JSON.parse(answer.text)
    const file = readTrinoFile()
    expect(body).toMatchObject({
      job_id: job.jobId,
      status: 'completed',
      request: { npis: request.npis, fee_schedules: [{ payer: 'Acme Health', plan }] },
      attempts: [
        { attempt: 1, outcome: 'failed', bytes_scanned: 5 },
        { attempt: 2, outcome: 'succeeded', bytes_scanned: 6 },
      ],
      fee_schedules: [{ plan, file_count: 1, plan_id_count: 1, plan_ids: ['hios|0123'] }],
      rows: 1,
      bytes: file.length,
      shards: [{ name: `${job.jobId}-0001.parquet`, bytes: file.length, checksum: { type: 'FULL_OBJECT' } }],
    })
    const [url = ''] = body.status === 'completed' ? body.shards.map((shard) => shard.url) : []
    const download = await fetch(url)
    expect(Buffer.compare(Buffer.from(await download.arrayBuffer()), file)).toBe(0)
    expect(download.headers.get('content-disposition')).toBe(`attachment; filename="${job.jobId}-0001.parquet"`)
  })

  it.each(['queued', 'processing', 'failed'] as const)('that is %s has no files', async (status) => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJobOf(orgId, status)
    const answer = await openYoungApi().getManifest(jobId, { token })
    expect([answer.status, answer.body]).toMatchObject([200, { job_id: jobId, status, attempts: [] }])
    expect(answer.text).not.toMatch(/shards|expires_at|results_until/)
  })
})

describe('a manifest that the caller may not see', () => {
  it('is the same 404 as a job that does not exist', async () => {
    const { token } = await storeKey(access)
    const foreign = await storeJobOf((await storeKey(access)).orgId, 'completed')
    for (const id of [foreign.jobId, randomUUID(), 'not-a-uuid', '']) {
      const answer = await openYoungApi().getManifest(id, { token })
      expect([answer.status, answer.body]).toEqual([404, refusal('not_found', answer.requestId)])
    }
  })
})
