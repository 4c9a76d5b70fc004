import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobLookup } from '../../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { writeShards } from '../../../adapters/dynamodb/jobs/job-items.ts'
import { completedBy, expiresAt, newJob, storeJob } from '../../builders/new-job.ts'
import { storeKey } from '../../builders/new-key.ts'
import { request } from '../../builders/sample-search.ts'
import { type Answer, type Call, forward, type HttpStub, refuse, startHttpStub } from '../../doubles/http-stub.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables, environment } = connectEndpoints()
const dynamo = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? ''

type Fault = (call: Call, turn: number) => Answer | undefined | Promise<Answer | undefined>

/** Opens DynamoDB behind a proxy that counts calls and can answer some itself. */
async function openFaultyDynamo(fault: Fault = () => undefined) {
  const stub: HttpStub = await startHttpStub(
    async (call) => (await fault(call, stub.calls.length)) ?? forward(dynamo, call),
  )
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: stub.url }))
  return {
    lookup: createDynamoJobLookup(client, { jobs: tables.jobs, access: tables.access }),
    access: createDynamoAccess(client, tables.access),
    jobs: createDynamoJobs(client, tables.jobs),
    operations: () => stub.calls.map(({ operation }) => operation),
    calls: stub.calls,
    [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose](),
  }
}

/** Answers a batch read with every key unprocessed. */
const readNothing = ({ body }: Call): Answer => {
  const { RequestItems }: { readonly RequestItems: object } = JSON.parse(body)
  return { status: 200, body: JSON.stringify({ Responses: {}, UnprocessedKeys: RequestItems }) }
}

/** Stores a job of a status, and a key that may read it, without the proxy. */
async function storeJobAndKey(status: 'queued' | 'completed') {
  const client = connectDynamo()
  const key = await storeKey(createDynamoAccess(client, tables.access))
  const jobs = createDynamoJobs(client, tables.jobs)
  const job = newJob({ orgId: key.orgId })
  await jobs.create(job, request, expiresAt)
  if (status === 'queued') return { key, job }
  await jobs.begin(job, { contents: [] }, job.createdAt)
  await jobs.complete(completedBy(job), expiresAt)
  return { key, job: completedBy(job) }
}

describe('the number of round trips', () => {
  it.each(['queued', 'completed'] as const)('equals one for a poll of a %s job', async (status) => {
    await using faulty = await openFaultyDynamo()
    const { key, job } = await storeJobAndKey(status)
    expect((await faulty.lookup.lookUp(key.presented, job.jobId)).job).toEqual(job)
    expect(faulty.operations()).toEqual(['BatchGetItem'])
  })

  it('equals three for a new search: access, request and job', async () => {
    await using faulty = await openFaultyDynamo()
    const { key } = await storeJobAndKey('queued')
    await faulty.access.readAccess(key.presented)
    await faulty.jobs.create(newJob({ orgId: key.orgId }), request, expiresAt)
    expect(faulty.operations()).toEqual(['BatchGetItem', 'PutItem', 'PutItem'])
  })

  it('equals three for completing a job', async () => {
    await using faulty = await openFaultyDynamo()
    const job = await storeJob(createDynamoJobs(connectDynamo(), tables.jobs), 'processing')
    expect(await faulty.jobs.complete(completedBy(job), expiresAt)).toBe('written')
    expect(faulty.operations()).toEqual(['UpdateItem', 'PutItem', 'UpdateItem'])
  })
})

/** Answers a batch read as if the shards were read before they were written. */
const readWithoutShards: Fault = async (call) => {
  const answer = await forward(dynamo, call)
  const { Responses, ...fields } = JSON.parse(answer.body)
  const isShards = ({ item }: { readonly item: { readonly S: string } }) => item.S.startsWith('shards#')
  const responses = Object.entries<{ readonly item: { readonly S: string } }[]>(Responses).map(([table, items]) => {
    return [table, items.filter((item) => !isShards(item))] as const
  })
  return { ...answer, body: JSON.stringify({ ...fields, Responses: Object.fromEntries(responses) }) }
}

describe('a completed job that is read without its shards', () => {
  it('causes a second read, by a poll and by a step', async () => {
    const { key, job } = await storeJobAndKey('completed')
    await using polled = await openFaultyDynamo((call, turn) =>
      turn === 1 ? readWithoutShards(call, turn) : undefined,
    )
    expect((await polled.lookup.lookUp(key.presented, job.jobId)).job).toEqual(job)
    expect(polled.operations()).toEqual(['BatchGetItem', 'BatchGetItem'])
    await using stepReads = await openFaultyDynamo((call, turn) =>
      turn === 1 ? readWithoutShards(call, turn) : undefined,
    )
    expect(await stepReads.jobs.read(job)).toEqual(job)
  })

  it('counts as missing if it was deleted in the meantime', async () => {
    const { key, job } = await storeJobAndKey('completed')
    await using faulty = await openFaultyDynamo(async (call, turn) => {
      if (turn > 1) return undefined
      const answer = await readWithoutShards(call, turn)
      const directJobs = createDynamoJobs(connectDynamo(), tables.jobs)
      await directJobs.noteAnnounced(job)
      await directJobs.remove(job)
      return answer
    })
    expect(await faulty.lookup.lookUp(key.presented, job.jobId)).not.toHaveProperty('job')
    expect(faulty.calls).toHaveLength(2)
  })

  it.each([{ run: 'another' }, { attempt: 2 }])('fails the read if its shards are those of %o', async (facts) => {
    const { key, job } = await storeJobAndKey('completed')
    const otherShards = writeShards({ ...completedBy(job), ...facts }, expiresAt)
    await connectDynamo().send(new PutCommand({ TableName: tables.jobs, Item: otherShards }))
    await using direct = await openFaultyDynamo()
    await expect(direct.lookup.lookUp(key.presented, job.jobId)).rejects.toMatchObject({ name: 'InconsistentJob' })
  })

  it('fails the read if the shards are still missing', async () => {
    const { key, job } = await storeJobAndKey('completed')
    await using faulty = await openFaultyDynamo(readWithoutShards)
    const error = { name: 'InconsistentJob', message: expect.stringContaining(job.jobId) }
    await expect(faulty.lookup.lookUp(key.presented, job.jobId)).rejects.toMatchObject(error)
    expect(faulty.calls).toHaveLength(2)
  })
})

describe('keys that DynamoDB left unprocessed', () => {
  it('get requested again until they are read', async () => {
    await using faulty = await openFaultyDynamo((call, turn) => (turn <= 2 ? readNothing(call) : undefined))
    const { key, job } = await storeJobAndKey('completed')
    const { access, job: answer } = await faulty.lookup.lookUp(key.presented, job.jobId)
    expect([access.key?.keyId, answer]).toEqual([key.stored.keyId, job])
    expect(faulty.calls).toHaveLength(3)
  })

  it('get requested without the other keys, and join the items that were read before', async () => {
    await using faulty = await openFaultyDynamo(async (call, turn) => {
      if (turn > 1) return undefined
      const { RequestItems } = JSON.parse(call.body)
      const { [tables.access]: accessKeys, ...otherKeys } = RequestItems
      const answer = await forward(dynamo, { ...call, body: JSON.stringify({ RequestItems: otherKeys }) })
      const body = { ...JSON.parse(answer.body), UnprocessedKeys: { [tables.access]: accessKeys } }
      return { ...answer, body: JSON.stringify(body) }
    })
    const { key, job } = await storeJobAndKey('completed')
    const { access, job: answer } = await faulty.lookup.lookUp(key.presented, job.jobId)
    expect([access.organization?.orgId, answer]).toEqual([key.orgId, job])
    expect(Object.keys(JSON.parse(faulty.calls[1]?.body ?? '').RequestItems)).toEqual([tables.access])
  })

  it('fail the read in the end, and never look like missing items', async () => {
    await using faulty = await openFaultyDynamo(readNothing)
    const { key, job } = await storeJobAndKey('queued')
    const error = { name: 'DynamoUnavailable', message: 'keys stayed unprocessed' }
    await expect(faulty.lookup.lookUp(key.presented, job.jobId)).rejects.toMatchObject(error)
    expect(faulty.calls).toHaveLength(6)
  })
})

describe('a DynamoDB that fails', () => {
  it.each([
    { name: 'an internal error', answer: refuse(500, 'InternalServerError') },
    { name: 'throttling', answer: refuse(400, 'ThrottlingException') },
    { name: 'an exhausted table', answer: refuse(400, 'ProvisionedThroughputExceededException') },
  ])('gets another call after $name', async ({ answer }) => {
    await using faulty = await openFaultyDynamo((_, turn) => (turn === 1 ? answer : undefined))
    const { key, job } = await storeJobAndKey('queued')
    expect((await faulty.lookup.lookUp(key.presented, job.jobId)).job).toEqual(job)
    expect(faulty.calls).toHaveLength(2)
  })

  it('fails the read if it keeps failing, and never looks like a missing job', async () => {
    await using faulty = await openFaultyDynamo(() => refuse(500, 'InternalServerError'))
    const { key, job } = await storeJobAndKey('queued')
    await expect(faulty.lookup.lookUp(key.presented, job.jobId)).rejects.toThrow('InternalServerError')
    await expect(faulty.jobs.read(job)).rejects.toThrow('InternalServerError')
  })

  it('stores a new job only once if it fails after the write', async () => {
    const failAfterwards: Fault = async (call, turn) => {
      if (turn !== 2) return undefined
      await forward(dynamo, call)
      return refuse(500, 'InternalServerError')
    }
    await using faulty = await openFaultyDynamo(failAfterwards)
    const job = newJob()
    await faulty.jobs.create(job, request, expiresAt)
    expect(faulty.operations()).toEqual(['PutItem', 'PutItem', 'PutItem'])
    expect(await faulty.jobs.read(job)).toEqual(job)
  })
})

describe('completing a job', () => {
  it('keeps an earlier attempt out once a later one has claimed the job', async () => {
    const direct = createDynamoJobs(connectDynamo(), tables.jobs)
    const job = await storeJob(direct, 'processing')
    const outcomes: unknown[] = []
    await using later = await openFaultyDynamo(async ({ operation }) => {
      if (operation === 'PutItem') outcomes.push(await direct.complete(completedBy(job, 1), expiresAt))
      return undefined
    })
    expect(await later.jobs.complete(completedBy(job, 2), expiresAt)).toBe('written')
    expect(outcomes).toEqual(['superseded'])
    expect(await direct.read(job)).toEqual(completedBy(job, 2))
  })
})

describe('removing a job', () => {
  it('deletes a job whose end is announced after a first delete was refused', async () => {
    const direct = createDynamoJobs(connectDynamo(), tables.jobs)
    const job = await storeJob(direct, 'processing')
    await direct.complete(completedBy(job), expiresAt)
    await using faulty = await openFaultyDynamo(async ({ operation }) => {
      if (operation === 'BatchGetItem') await direct.noteAnnounced(job)
      return undefined
    })
    expect(await faulty.jobs.remove(job)).toBe('written')
    expect(await direct.read(job)).toBeUndefined()
  })
})
