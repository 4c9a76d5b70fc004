import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoJobs } from '../../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { shardsKeyItem, writeShards } from '../../../../adapters/dynamodb/jobs/job-items.ts'
import type { JobKey, QueuedJob } from '../../../../core/job/job.ts'
import { addSeconds } from '../../../../core/time.ts'
import { completedBy, expiresAt, failedBy, newJob, otherRun, storeJob, touchedAt } from '../../../builders/new-job.ts'
import { request } from '../../../builders/sample-search.ts'
import { forward, startHttpStub } from '../../../doubles/http-stub.ts'
import { openJobs } from './open-jobs.ts'

const { tables, environment, client, jobs, stores } = openJobs()

async function readShards(job: JobKey) {
  const { Item } = await client.send(new GetCommand({ TableName: tables.jobs, Key: shardsKeyItem(job) }))
  return Item
}

/** Returns a new job that reuses the id of a deleted one. */
const nextOf = ({ orgId, jobId, createdAt }: QueuedJob) => newJob({ orgId, jobId, createdAt: addSeconds(createdAt, 1) })

describe.each(Object.entries(stores))('in %s', (_, jobs) => {
  describe('removing a job', () => {
    it.each(['completed', 'failed'] as const)('deletes a job that has %s', async (status) => {
      const job = await storeJob(jobs, status)
      expect(await jobs.remove(job)).toBe('written')
      expect(await jobs.read(job)).toBeUndefined()
    })

    it.each(['completed', 'failed'] as const)(
      'waits until the end of a job that has %s is announced',
      async (status) => {
        const job = await storeJob(jobs, 'processing')
        await (status === 'completed'
          ? jobs.complete(completedBy(job), expiresAt)
          : jobs.fail(failedBy(job), expiresAt))
        const endedJob = await jobs.read(job)
        expect(await jobs.remove(job)).toBe('unannounced')
        expect(await jobs.remove(otherRun(job))).toBe('superseded')
        expect(await jobs.read(job)).toEqual(endedJob)
        expect([await jobs.noteAnnounced(job), await jobs.noteAnnounced(job)]).toEqual(['written', 'written'])
        expect(await jobs.remove(job)).toBe('written')
      },
    )

    it.each(['queued', 'processing'] as const)('refuses to note an announcement of a %s job', async (status) => {
      const job = await storeJob(jobs, status)
      expect(await jobs.noteAnnounced(job)).toBe('superseded')
      expect(await jobs.touch(job, touchedAt)).toBe('written')
    })

    it.each(['queued', 'processing'] as const)('refuses a %s job', async (status) => {
      const job = await storeJob(jobs, status)
      expect(await jobs.remove(job)).toBe('superseded')
      expect(await jobs.read(job)).toEqual(job)
    })

    it('refuses another run', async () => {
      const job = await storeJob(jobs, 'completed')
      expect(await jobs.remove(otherRun(job))).toBe('superseded')
      expect(await jobs.read(job)).toEqual(job)
    })

    it('succeeds again when it is repeated', async () => {
      const job = await storeJob(jobs, 'completed')
      expect([await jobs.remove(job), await jobs.remove(job)]).toEqual(['written', 'written'])
    })

    it('keeps the request for other jobs with the same hash', async () => {
      const job = await storeJob(jobs, 'completed')
      await jobs.remove(job)
      expect(await jobs.readRequest(job.orgId, job.requestHash)).toEqual(request)
    })
  })

  describe('a reused id', () => {
    it('keeps nothing of the previous run', async () => {
      const job = newJob()
      await jobs.create(job, request, expiresAt)
      await jobs.begin(job, { contents: ['source-1'] }, touchedAt)
      await jobs.complete(completedBy(job), expiresAt)
      await jobs.noteAnnounced(job)
      await jobs.remove(job)
      const next = nextOf(job)
      await jobs.create(next, request, expiresAt)
      expect(await jobs.read(next)).toEqual(next)
      await jobs.begin(next, { contents: ['source-2'] }, touchedAt)
      expect(await jobs.complete(completedBy(next), expiresAt)).toBe('written')
      expect(await jobs.read(next)).toEqual(completedBy(next))
      expect(await jobs.remove(job)).toBe('superseded')
      expect(await jobs.complete(completedBy(job), expiresAt)).toBe('superseded')
      expect(await jobs.read(next)).toEqual(completedBy(next))
    })
  })
})

describe('removing a job from DynamoDB', () => {
  it.each(['completed', 'failed'] as const)('deletes the shards of a job that has %s', async (status) => {
    const job = await storeJob(jobs, status)
    expect(await jobs.remove(job)).toBe('written')
    expect(await readShards(job)).toBeUndefined()
  })

  it('succeeds if the response to the first call was lost', async () => {
    const job = await storeJob(jobs, 'completed')
    let callCount = 0
    await using stub = await startHttpStub(async (call) => {
      const answer = await forward(environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '', call)
      if (callCount++ > 0) return answer
      return { status: 500, body: JSON.stringify({ __type: 'InternalServerError' }) }
    })
    const faulty = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: stub.url }))
    expect(await createDynamoJobs(faulty, tables.jobs).remove(job)).toBe('written')
    expect(stub.calls.map(({ operation }) => operation)).toEqual(['DeleteItem', 'DeleteItem', 'DeleteItem'])
    expect(await jobs.read(job)).toBeUndefined()
    expect(await readShards(job)).toBeUndefined()
  })

  it('deletes the shards that a superseded attempt left with a failed job', async () => {
    const job = await storeJob(jobs, 'processing')
    await client.send(new PutCommand({ TableName: tables.jobs, Item: writeShards(completedBy(job), expiresAt) }))
    await jobs.fail(failedBy(job), expiresAt)
    await jobs.noteAnnounced(job)
    expect(await jobs.remove(job)).toBe('written')
    expect(await readShards(job)).toBeUndefined()
  })
})

describe('a reused id in DynamoDB', () => {
  it('keeps its shards if a step of the previous run writes late, after its claim', async () => {
    const job = newJob()
    await jobs.create(job, request, expiresAt)
    await jobs.begin(job, { contents: ['source-1'] }, touchedAt)
    const next = nextOf(job)
    const upstream = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? ''
    await using stub = await startHttpStub(async (call) => {
      if (call.operation === 'PutItem') {
        // All of this happens between the late step's claim and its write of the shards.
        await jobs.fail(failedBy(job, 'cancelled: It was.'), expiresAt)
        await jobs.noteAnnounced(job)
        await jobs.remove(job)
        await jobs.create(next, request, expiresAt)
        await jobs.begin(next, { contents: ['source-2'] }, touchedAt)
        await jobs.complete(completedBy(next), expiresAt)
      }
      return forward(upstream, call)
    })
    const late = createDynamoJobs(DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: stub.url })), tables.jobs)
    expect(await late.complete(completedBy(job, 2), expiresAt)).toBe('superseded')
    expect(stub.calls.map(({ operation }) => operation)).toEqual(['UpdateItem', 'PutItem'])
    expect(await jobs.read(next)).toEqual(completedBy(next))
  })

  it('replaces shards that the previous run wrote after it was deleted', async () => {
    const job = newJob()
    const next = nextOf(job)
    await jobs.create(job, request, expiresAt)
    await jobs.begin(job, { contents: ['source-1'] }, touchedAt)
    await jobs.complete(completedBy(job, 5), expiresAt)
    const lateShards = await readShards(job)
    await jobs.noteAnnounced(job)
    await jobs.remove(job)
    await client.send(new PutCommand({ TableName: tables.jobs, Item: lateShards }))
    await jobs.create(next, request, expiresAt)
    await jobs.begin(next, { contents: ['source-2'] }, touchedAt)
    expect(await jobs.complete(completedBy(next), expiresAt)).toBe('written')
    expect(await jobs.read(next)).toEqual(completedBy(next))
  })
})
