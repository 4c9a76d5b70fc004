import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoUnendedJobs } from '../../../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { jobKeyItem } from '../../../../adapters/dynamodb/jobs/job-items.ts'
import type { JobKey } from '../../../../core/job/job.ts'
import type { UnendedJobs } from '../../../../core/job/ports.ts'
import { chooseUnendedPartition } from '../../../../schema/tables.ts'
import { completedBy, endedAt, expiresAt, failedBy, newJob, storeJob, touchedAt } from '../../../builders/new-job.ts'
import { createdAt, request } from '../../../builders/sample-search.ts'
import { openJobs } from './open-jobs.ts'

const { tables, client, jobs, memory } = openJobs()

const stores = {
  DynamoDB: { jobs, unended: createDynamoUnendedJobs(client, tables.jobs) },
  memory: { jobs: memory, unended: memory },
}

/** A limit above the number of jobs that all tests together leave behind. */
const unlimited = 10_000

const find = async (unended: UnendedJobs, { jobId }: JobKey) =>
  (await unended.list(unlimited)).find((job) => job.jobId === jobId)

describe.each(Object.entries(stores))('the list of unended jobs in %s', (_, { jobs, unended }) => {
  it('contains a job from its creation, which counts as its first touch', async () => {
    const { orgId, jobId, run } = await storeJob(jobs)
    expect(await find(unended, { orgId, jobId })).toEqual({
      orgId,
      jobId,
      run,
      status: 'queued',
      createdAt,
      touchedAt: createdAt,
    })
  })

  it('contains the running query of a job and the time of its last touch', async () => {
    const job = await storeJob(jobs, 'processing')
    expect(await find(unended, job)).toMatchObject({ status: 'processing', touchedAt })
    const query = { queryId: 'query-1', attempt: 2 }
    await jobs.noteQuery(job, query, new Date('2026-11-20T09:30:10.000Z'))
    expect(await find(unended, job)).toMatchObject({ query, touchedAt: new Date('2026-11-20T09:30:10.000Z') })
    await jobs.touch(job, new Date('2026-11-20T09:31:00.000Z'))
    expect(await find(unended, job)).toMatchObject({ query, touchedAt: new Date('2026-11-20T09:31:00.000Z') })
  })

  it('contains the start time of the first query of a job', async () => {
    const job = await storeJob(jobs, 'processing')
    expect(await find(unended, job)).not.toHaveProperty('runningSince')
    const runningSince = new Date('2026-11-20T09:30:10.000Z')
    await jobs.noteQuery(job, { queryId: 'query-1', attempt: 1 }, runningSince)
    await jobs.noteQuery(job, { queryId: 'query-2', attempt: 2 }, new Date('2026-11-20T10:30:00.000Z'))
    expect(await find(unended, job)).toMatchObject({ runningSince })
  })

  it.each([
    ['completed', completedBy],
    ['failed', failedBy],
  ] as const)('contains %s jobs until they are announced, as touched at their end', async (status, end) => {
    const job = await storeJob(jobs, 'processing')
    const endedJob = end(job)
    await (endedJob.status === 'completed' ? jobs.complete(endedJob, expiresAt) : jobs.fail(endedJob, expiresAt))
    expect(await find(unended, job)).toMatchObject({ status, touchedAt: endedAt, run: job.run })
    const later = new Date('2026-11-20T11:00:00.000Z')
    expect(await unended.postpone(job, later)).toBe('written')
    expect(await find(unended, job)).toMatchObject({ status, touchedAt: later })
    await jobs.noteAnnounced(job)
    expect(await find(unended, job)).toBeUndefined()
    expect(await unended.postpone(job, later)).toBe('superseded')
    expect(await find(unended, job)).toBeUndefined()
  })

  it('starts with the least recently touched jobs, across partitions, up to the limit', async () => {
    // Older than the jobs of other tests, which may run at the same time over the same table.
    const old = Array.from({ length: 40 }, (_, second) =>
      newJob({ createdAt: new Date(Date.UTC(1950, 0, 1, 0, 0, second)) }),
    )
    expect(new Set(old.map(({ jobId }) => chooseUnendedPartition(jobId))).size).toBeGreaterThan(1)
    for (const job of old.toReversed()) await jobs.create(job, request, expiresAt)
    const oldestJobs = await unended.list(25)
    expect(oldestJobs.map(({ jobId }) => jobId)).toEqual(old.slice(0, 25).map(({ jobId }) => jobId))
    for (const job of old) {
      await jobs.fail(failedBy(job), expiresAt)
      await jobs.noteAnnounced(job)
    }
  })
})

describe('the list of unended jobs in DynamoDB', () => {
  it('includes jobs created when the index had a single partition', async () => {
    const { jobs, unended } = stores.DynamoDB
    const job = await storeJob(jobs)
    await client.send(
      new UpdateCommand({
        TableName: tables.jobs,
        Key: jobKeyItem(job),
        UpdateExpression: 'SET unended = :partition',
        ExpressionAttributeValues: { ':partition': 'unended' },
      }),
    )
    await jobs.touch(job, touchedAt)
    expect(await find(unended, job)).toMatchObject({ status: 'queued', touchedAt })
    await jobs.fail(failedBy(job), expiresAt)
    await jobs.noteAnnounced(job)
    expect(await find(unended, job)).toBeUndefined()
  })
})
