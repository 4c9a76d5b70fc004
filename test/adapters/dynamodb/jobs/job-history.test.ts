import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoRecordedJobLookup } from '../../../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { jobKeyItem, shardsKeyItem } from '../../../../adapters/dynamodb/jobs/job-items.ts'
import type { CompletedJob } from '../../../../core/job/job.ts'
import { completedBy, expiresAt, failedBy, newJob, otherRun, touchedAt } from '../../../builders/new-job.ts'
import { storeKey } from '../../../builders/new-key.ts'
import { request } from '../../../builders/sample-search.ts'
import { createMemoryRecordedJobLookup } from '../../../doubles/memory-access.ts'
import { openLookups } from './open-jobs.ts'

const { tables, client, stores } = openLookups(createDynamoRecordedJobLookup, (access, jobs) =>
  createMemoryRecordedJobLookup(access, jobs),
)

const contents = ['content-1', 'content-2', 'content-1']
const firstAttempt = { attempt: 1, outcome: 'failed', bytesScanned: 12 } as const
const thirdAttempt = { attempt: 3, outcome: 'succeeded' } as const

describe.each(Object.entries(stores))('the history of a job in %s', (_, { access, jobs, lookup }) => {
  /** Stores a new job of an organization, and returns a reader of its history. */
  async function open() {
    const { orgId, presented } = await storeKey(access)
    const job = newJob({ orgId })
    await jobs.create(job, request, expiresAt)
    const readHistory = async () => (await lookup.lookUp(presented, job.jobId)).job
    return { job, presented, readHistory }
  }

  it('stays empty until a step picks the job up', async () => {
    const { job, presented, readHistory } = await open()
    expect(await readHistory()).toStrictEqual({ ...job, endedAttempts: [] })
    expect((await lookup.lookUp(presented, job.jobId)).access).toStrictEqual(await access.readAccess(presented))
  })

  it('contains the start, the contents and the ended attempts, which stay when the job ends', async () => {
    for (const end of [completedBy, failedBy]) {
      const { job, readHistory } = await open()
      const nppesMonth = { nppesMonthId: 'r1', month: '2026-11' }
      await jobs.begin(job, { contents, nppesMonth }, touchedAt)
      expect(await jobs.read(job)).toMatchObject({ contents, nppesMonth })
      expect(await readHistory()).toMatchObject({ processingAt: touchedAt, contents, nppesMonth, endedAttempts: [] })
      expect(await jobs.noteAttempt(job, firstAttempt, touchedAt)).toBe('written')
      expect(await jobs.noteAttempt(job, thirdAttempt, touchedAt)).toBe('written')
      const history = { processingAt: touchedAt, contents, nppesMonth, endedAttempts: [firstAttempt, thirdAttempt] }
      expect(await readHistory()).toMatchObject(history)
      const endedJob = end(job)
      await (endedJob.status === 'completed'
        ? jobs.complete({ ...endedJob, attempt: 4 }, expiresAt)
        : jobs.fail(endedJob, expiresAt))
      expect(await readHistory()).toMatchObject({ status: endedJob.status, ...history })
    }
  })

  it('keeps the first start, and contains none if the job failed before it', async () => {
    const begun = await open()
    await jobs.begin(begun.job, {}, touchedAt)
    await jobs.begin(begun.job, { contents }, new Date(touchedAt.getTime() + 1000))
    expect(await begun.readHistory()).toMatchObject({ processingAt: touchedAt, contents })
    const { job, readHistory } = await open()
    await jobs.fail(failedBy(job), expiresAt)
    expect(await readHistory()).toStrictEqual({ ...failedBy(job), endedAttempts: [] })
  })

  it('contains each attempt once, in order', async () => {
    const { job, readHistory } = await open()
    await jobs.begin(job, { contents }, touchedAt)
    await jobs.noteAttempt(job, thirdAttempt, touchedAt)
    for (const late of [thirdAttempt, firstAttempt, { ...thirdAttempt, outcome: 'failed' } as const])
      expect(await jobs.noteAttempt(job, late, touchedAt)).toBe('superseded')
    expect((await readHistory())?.endedAttempts).toStrictEqual([thirdAttempt])
  })

  it.each(['queued', 'completed', 'failed'] as const)(
    'stays unchanged for a %s job, and for another run',
    async (status) => {
      const { job, readHistory } = await open()
      if (status !== 'queued') await jobs.begin(job, { contents }, touchedAt)
      if (status !== 'queued') expect(await jobs.noteAttempt(otherRun(job), firstAttempt, touchedAt)).toBe('superseded')
      if (status === 'completed') await jobs.complete(completedBy(job), expiresAt)
      if (status === 'failed') await jobs.fail(failedBy(job), expiresAt)
      expect(await jobs.noteAttempt(job, firstAttempt, touchedAt)).toBe('superseded')
      expect((await readHistory())?.endedAttempts).toStrictEqual([])
    },
  )

  it('keeps checksums, the bytes that were read and the key of the columns', async () => {
    const { job, readHistory } = await open()
    await jobs.begin(job, { contents }, touchedAt)
    const [one, two] = completedBy(job).shards
    if (one === undefined || two === undefined) throw new TypeError('a completed job has two shards')
    const checksum = { algorithm: 'SHA256', type: 'COMPOSITE', value: 'q1w2e3==-2' } as const
    const shards = [{ ...one, checksum }, two]
    const completed: CompletedJob = { ...completedBy(job), shards, bytesScanned: 0, columnsKey: 'key' }
    await jobs.complete(completed, expiresAt)
    expect(await jobs.read(job)).toStrictEqual(completed)
    expect(await readHistory()).toStrictEqual({ ...completed, processingAt: touchedAt, contents, endedAttempts: [] })
  })
})

describe('a job that an earlier version stored', () => {
  it('reads back without checksums, bytes, columns and attempts', async () => {
    const { access, lookup } = stores.DynamoDB
    const { orgId, presented } = await storeKey(access)
    const job = newJob({ orgId })
    const { shards, completedAt, attempt } = completedBy(job)
    const common = { run: job.run, created_at: job.createdAt.toISOString(), attempt }
    const items = [
      {
        ...jobKeyItem(job),
        ...common,
        job_id: job.jobId,
        request_hash: job.requestHash,
        status: 'completed',
        ended_at: completedAt.toISOString(),
      },
      { ...shardsKeyItem(job), ...common, shards },
    ]
    for (const Item of items) await client.send(new PutCommand({ TableName: tables.jobs, Item }))
    const { job: history } = await lookup.lookUp(presented, job.jobId)
    expect(history).toStrictEqual({ ...completedBy(job), endedAttempts: [] })
  })
})
