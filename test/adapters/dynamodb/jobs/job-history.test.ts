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
const first = { attempt: 1, outcome: 'failed', bytesScanned: 12 } as const
const third = { attempt: 3, outcome: 'succeeded' } as const

describe.each(Object.entries(stores))('the history of a job in %s', (_, { access, jobs, lookup }) => {
  /** Stores a new job of an organization, and returns how its key looks it up. */
  async function open() {
    const { orgId, presented } = await storeKey(access)
    const job = newJob({ orgId })
    await jobs.create(job, request, expiresAt)
    const read = async () => (await lookup.lookUp(presented, job.jobId)).job
    return { job, presented, read }
  }

  it('is empty until a step picks it up', async () => {
    const { job, presented, read } = await open()
    expect(await read()).toStrictEqual({ ...job, endedAttempts: [] })
    expect((await lookup.lookUp(presented, job.jobId)).access).toStrictEqual(await access.readAccess(presented))
  })

  it('has its start, its contents and its ended attempts, which stay when it ends', async () => {
    for (const end of [completedBy, failedBy]) {
      const { job, read } = await open()
      const nppesMonth = { nppesMonthId: 'r1', month: '2026-11' }
      await jobs.begin(job, { contents, nppesMonth }, touchedAt)
      expect(await jobs.read(job)).toMatchObject({ contents, nppesMonth })
      expect(await read()).toMatchObject({ processingAt: touchedAt, contents, nppesMonth, endedAttempts: [] })
      expect(await jobs.noteAttempt(job, first, touchedAt)).toBe('written')
      expect(await jobs.noteAttempt(job, third, touchedAt)).toBe('written')
      const history = { processingAt: touchedAt, contents, nppesMonth, endedAttempts: [first, third] }
      expect(await read()).toMatchObject(history)
      const ended = end(job)
      await (ended.status === 'completed'
        ? jobs.complete({ ...ended, attempt: 4 }, expiresAt)
        : jobs.fail(ended, expiresAt))
      expect(await read()).toMatchObject({ status: ended.status, ...history })
    }
  })

  it('keeps the first start, and has none if the job failed before it', async () => {
    const begun = await open()
    await jobs.begin(begun.job, {}, touchedAt)
    await jobs.begin(begun.job, { contents }, new Date(touchedAt.getTime() + 1000))
    expect(await begun.read()).toMatchObject({ processingAt: touchedAt, contents })
    const { job, read } = await open()
    await jobs.fail(failedBy(job), expiresAt)
    expect(await read()).toStrictEqual({ ...failedBy(job), endedAttempts: [] })
  })

  it('has each attempt once, in order', async () => {
    const { job, read } = await open()
    await jobs.begin(job, { contents }, touchedAt)
    await jobs.noteAttempt(job, third, touchedAt)
    for (const late of [third, first, { ...third, outcome: 'failed' } as const])
      expect(await jobs.noteAttempt(job, late, touchedAt)).toBe('superseded')
    expect((await read())?.endedAttempts).toStrictEqual([third])
  })

  it.each(['queued', 'completed', 'failed'] as const)(
    'does not change for a %s job, or by another run',
    async (status) => {
      const { job, read } = await open()
      if (status !== 'queued') await jobs.begin(job, { contents }, touchedAt)
      if (status !== 'queued') expect(await jobs.noteAttempt(otherRun(job), first, touchedAt)).toBe('superseded')
      if (status === 'completed') await jobs.complete(completedBy(job), expiresAt)
      if (status === 'failed') await jobs.fail(failedBy(job), expiresAt)
      expect(await jobs.noteAttempt(job, first, touchedAt)).toBe('superseded')
      expect((await read())?.endedAttempts).toStrictEqual([])
    },
  )

  it('keeps checksums, the bytes that were read and the key of the columns', async () => {
    const { job, read } = await open()
    await jobs.begin(job, { contents }, touchedAt)
    const [one, two] = completedBy(job).shards
    if (one === undefined || two === undefined) throw new TypeError('a completed job has two shards')
    const checksum = { algorithm: 'SHA256', type: 'COMPOSITE', value: 'q1w2e3==-2' } as const
    const shards = [{ ...one, checksum }, two]
    const completed: CompletedJob = { ...completedBy(job), shards, bytesScanned: 0, columnsKey: 'key' }
    await jobs.complete(completed, expiresAt)
    expect(await jobs.read(job)).toStrictEqual(completed)
    expect(await read()).toStrictEqual({ ...completed, processingAt: touchedAt, contents, endedAttempts: [] })
  })
})

describe('a job that an earlier version stored', () => {
  it('is read without checksums, bytes, columns and attempts', async () => {
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
    const { job: read } = await lookup.lookUp(presented, job.jobId)
    expect(read).toStrictEqual({ ...completedBy(job), endedAttempts: [] })
  })
})
