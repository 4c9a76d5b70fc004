import { describe, expect, it } from 'vitest'
import { getManifest } from '../../../core/calls/get-manifest.ts'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { CompletedJob, JobRun } from '../../../core/job/job.ts'
import { addSeconds } from '../../../core/time.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { columnsKeyOf } from '../../../schema/columns/shard-schema.ts'
import { complete as completeSearch, openSearch, storeProcessing, storeQueued } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { jobIdOf, newEntry, newJob, request, runOf } from '../../builders/sample-search.ts'
import { createMemoryRecordedJobLookup, createMemorySigner } from '../../doubles/memory-access.ts'

const day = 24 * 60 * 60
const checksum = { algorithm: 'CRC64NVME', type: 'FULL_OBJECT', value: 'rosUhgp5mIg=' } as const
const asked = { npis: request.npis, billing_codes: request.billingCodes, fee_schedules: request.feeSchedules }

function openManifests() {
  const search = openSearch()
  const { access } = letIn(search)
  const deps = {
    ...search.deps,
    access,
    lookup: createMemoryRecordedJobLookup(access, search.jobs),
    signer: createMemorySigner(new Date('2026-11-20T10:30:00.000Z')),
  }
  return { ...search, search, get: (jobId: string) => getManifest(deps, ownKey, jobId) }
}

/** Completes a job with two shards, the second without a checksum. */
function complete(open: ReturnType<typeof openManifests>, run: JobRun, facts: Partial<CompletedJob> = {}) {
  const prefix = attemptPrefix(run, facts.attempt ?? 1)
  const shards = [
    { key: `${prefix}a`, bytes: 300, rows: 7, checksum },
    { key: `${prefix}b`, bytes: 200, rows: 5 },
  ]
  return completeSearch(open, run, { shards, ...facts })
}

describe('the manifest of a job', () => {
  it('describes the request of a queued job, and nothing that has not happened yet', async () => {
    const open = openManifests()
    const { jobId } = await storeQueued(open.search)
    expect(await open.get(jobId)).toStrictEqual({
      job_id: jobId,
      status: 'queued',
      created_at: '2026-11-20T09:30:00.123+00:00',
      request: asked,
      attempts: [],
      fee_schedules: [],
      nppes_month: null,
    })
  })

  it('lists exactly the filters that were asked for', async () => {
    const open = openManifests()
    const { feeSchedules } = request
    const [byTin, byNpi] = [
      { tins: ['123456789'], feeSchedules },
      { npis: [1003000126], feeSchedules },
    ]
    const requests: unknown[] = []
    for (const [index, asks] of [byTin, byNpi].entries()) {
      const job = newJob({ jobId: jobIdOf(`job ${index}`), requestHash: `hash ${index}` })
      await open.jobs.create(job, asks, addSeconds(open.clock.now(), day), open.clock.now())
      requests.push((await open.get(job.jobId)).request)
    }
    expect(requests).toStrictEqual([
      { tins: ['123456789'], fee_schedules: feeSchedules },
      { npis: [1003000126], fee_schedules: feeSchedules },
    ])
  })

  it('describes the start of a processing job, what it reads, and the attempts that have ended', async () => {
    const open = openManifests()
    const run = await storeProcessing(open.search)
    expect(await open.get(run.jobId)).toStrictEqual({
      job_id: run.jobId,
      status: 'processing',
      created_at: '2026-11-20T09:30:00.123+00:00',
      processing_at: '2026-11-20T09:30:00.123+00:00',
      request: asked,
      attempts: [],
      fee_schedules: [
        {
          payer: 'Acme Health',
          plan: 'Gold PPO',
          loaded_at: '2026-11-20T09:30:00.123+00:00',
          last_updated_on: null,
          partial: false,
          without_descriptions: false,
          superseded: false,
          file_count: 1,
          plan_id_count: 1,
          plan_ids: ['hios|0123'],
        },
      ],
      nppes_month: null,
    })
    await open.jobs.noteAttempt(run, { attempt: 1, outcome: 'failed', bytesScanned: 10 }, open.clock.now())
    const { attempts } = await open.get(run.jobId)
    expect(attempts).toEqual([{ attempt: 1, outcome: 'failed', bytes_scanned: 10 }])
  })

  it('describes the rows, bytes, columns and files of a completed job, with one expiry of their URLs', async () => {
    const open = openManifests()
    const run = await storeProcessing(open.search)
    open.clock.advance(60)
    const { shards } = await complete(open, run, { bytesScanned: 4096, columnsKey: columnsKeyOf(ratesColumns) })
    const manifest = await open.get(run.jobId)
    expect(manifest).toMatchObject({
      status: 'completed',
      processing_at: '2026-11-20T09:30:00.123+00:00',
      completed_at: '2026-11-20T09:31:00.123+00:00',
      attempts: [{ attempt: 1, outcome: 'succeeded', bytes_scanned: 4096 }],
      fee_schedules: [{ plan: 'Gold PPO', file_count: 1 }],
      rows: 12,
      bytes: 500,
      expires_at: '2026-11-20T10:30:00.000+00:00',
      results_until: '2026-11-27T09:31:00.123+00:00',
    })
    const [first, second] = [`${run.jobId}-0001.parquet`, `${run.jobId}-0002.parquet`]
    expect(manifest.status === 'completed' && manifest.shards).toEqual([
      { name: first, rows: 7, bytes: 300, checksum, url: `https://storage.example/${shards[0]?.key}?name=${first}` },
      {
        name: second,
        rows: 5,
        bytes: 200,
        checksum: null,
        url: `https://storage.example/${shards[1]?.key}?name=${second}`,
      },
    ])
    const columns = manifest.status === 'completed' ? (manifest.columns ?? []) : []
    expect(columns.map(({ name }) => name)).toEqual(ratesColumns.map(({ name }) => name))
    expect(columns).toContainEqual({ name: 'service_code', type: 'array(varchar)' })
    expect(columns).toContainEqual({ name: 'negotiated_rate', type: 'decimal(18,4)' })
  })

  it('describes the error of a failed job, and no start if it was never picked up', async () => {
    const open = openManifests()
    const job = await storeQueued(open.search)
    open.clock.advance(60)
    await open.jobs.fail({ ...runOf(job), failedAt: open.clock.now(), error: 'timeout: x' }, open.clock.now())
    expect(await open.get(job.jobId)).toStrictEqual({
      job_id: job.jobId,
      status: 'failed',
      created_at: '2026-11-20T09:30:00.123+00:00',
      failed_at: '2026-11-20T09:31:00.123+00:00',
      error: 'timeout: x',
      request: asked,
      attempts: [],
      fee_schedules: [],
      nppes_month: null,
    })
  })

  it('shows no columns if they have changed since it completed, or were not recorded', async () => {
    for (const older of [{ columnsKey: 'another' }, {}]) {
      const open = openManifests()
      const run = await storeProcessing(open.search)
      await complete(open, run, older)
      expect(await open.get(run.jobId)).toMatchObject({ status: 'completed', columns: null })
    }
  })
})

describe('the attempts in a manifest', () => {
  it('lists the retried attempts, then the one that completed the job', async () => {
    const open = openManifests()
    const run = await storeProcessing(open.search)
    await open.jobs.noteAttempt(run, { attempt: 1, outcome: 'failed' }, open.clock.now())
    await open.jobs.noteAttempt(run, { attempt: 2, outcome: 'succeeded', bytesScanned: 0 }, open.clock.now())
    await complete(open, run, { attempt: 3 })
    expect((await open.get(run.jobId)).attempts).toEqual([
      { attempt: 1, outcome: 'failed', bytes_scanned: null },
      { attempt: 2, outcome: 'succeeded', bytes_scanned: 0 },
      { attempt: 3, outcome: 'succeeded', bytes_scanned: null },
    ])
  })

  it('show the one that completed the job once, as it ended', async () => {
    const open = openManifests()
    const run = await storeProcessing(open.search)
    await open.jobs.noteAttempt(run, { attempt: 1, outcome: 'failed' }, open.clock.now())
    await complete(open, run, { attempt: 1, bytesScanned: 7 })
    expect((await open.get(run.jobId)).attempts).toEqual([{ attempt: 1, outcome: 'succeeded', bytes_scanned: 7 }])
  })

  it('end with a cancelled one if the job failed before the end of its query was recorded', async () => {
    const open = openManifests()
    const run = await storeProcessing(open.search)
    await open.jobs.noteAttempt(run, { attempt: 1, outcome: 'failed', bytesScanned: 3 }, open.clock.now())
    await open.jobs.noteQuery(run, { queryId: 'query-2', attempt: 2 }, open.clock.now())
    await open.jobs.fail({ ...run, failedAt: open.clock.now(), error: 'cancelled: x' }, open.clock.now())
    expect((await open.get(run.jobId)).attempts).toEqual([
      { attempt: 1, outcome: 'failed', bytes_scanned: 3 },
      { attempt: 2, outcome: 'cancelled', bytes_scanned: null },
    ])
  })

  it('show one that failed its job once', async () => {
    const open = openManifests()
    const run = await storeProcessing(open.search)
    await open.jobs.noteAttempt(run, { attempt: 1, outcome: 'failed', bytesScanned: 3 }, open.clock.now())
    await open.jobs.fail({ ...run, failedAt: open.clock.now(), error: 'too_broad: x' }, open.clock.now())
    expect((await open.get(run.jobId)).attempts).toEqual([{ attempt: 1, outcome: 'failed', bytes_scanned: 3 }])
  })
})

describe('a manifest stays the same', () => {
  it('when its fee schedule is loaded anew, except that it says so and its plan ids are no longer known', async () => {
    const open = openManifests()
    const run = await storeProcessing(open.search)
    await complete(open, run)
    const before = await open.get(run.jobId)
    open.put(newEntry({ version: 'v2', contentId: 'content-2', planIds: ['hios|9999'] }))
    const [schedule] = before.fee_schedules
    expect(await open.get(run.jobId)).toEqual({
      ...before,
      fee_schedules: [{ ...schedule, superseded: true, plan_id_count: null, plan_ids: null }],
    })
  })
})
