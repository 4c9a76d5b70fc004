import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { jobKeyItem } from '../../../../adapters/dynamodb/jobs/job-items.ts'
import type { JobStatus } from '../../../../core/job/job.ts'
import { hashRequest } from '../../../../core/search/search-request.ts'
import { addSeconds } from '../../../../core/time.ts'
import { describeHolder } from '../../../builders/job-holder.ts'
import { completedBy, endedAt, expiresAt, newJob, storeJob, touchedAt } from '../../../builders/new-job.ts'
import { request } from '../../../builders/sample-search.ts'
import { type Answer, type Call, forward, refuse, startHttpStub } from '../../../doubles/http-stub.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables, environment } = connectEndpoints()
const dynamo = environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? ''
const jobs = createDynamoJobs(connectDynamo(), tables.jobs)

/** The adapter, and its double in tests of the core. */
const stores = { DynamoDB: jobs, memory: createMemoryJobs() }

const otherRequest = { ...request, billingCodes: ['99214'] }
const creationOutcome = { outcome: 'created' }

/** Opens the jobs table behind a proxy that answers some calls itself. */
async function openProxy(answer: (call: Call, turn: number) => Promise<Answer | undefined>) {
  const stub = await startHttpStub(async (call) => (await answer(call, stub.calls.length)) ?? forward(dynamo, call))
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: stub.url }))
  return {
    jobs: createDynamoJobs(client, tables.jobs),
    operations: () => stub.calls.map(({ operation }) => operation),
    [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose](),
  }
}

const isRefused = ({ body }: Answer) => body.includes('ConditionalCheckFailed')

/** Returns the stored item with a failed put, as DynamoDB does when asked to. */
async function refuseWithItem(call: Call): Promise<Answer> {
  const answer = await forward(dynamo, call)
  const { TableName, Item, ReturnValuesOnConditionCheckFailure: returnValues } = JSON.parse(call.body)
  if (!isRefused(answer) || returnValues !== 'ALL_OLD') return answer
  const { org_id, item } = Item
  const headers = { ...call.headers, 'x-amz-target': 'DynamoDB_20120810.GetItem' }
  const body = JSON.stringify({ TableName, Key: { org_id, item }, ConsistentRead: true })
  const getAnswer = JSON.parse((await forward(dynamo, { path: '', operation: 'GetItem', headers, body })).body)
  return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), Item: getAnswer.Item }) }
}

describe('a refused put of a new job', () => {
  it('costs another round trip only if DynamoDB does not return the item', async () => {
    const holder = await storeJob(jobs, 'processing')
    const idTaken = { outcome: 'id-taken', by: describeHolder(holder) }
    const late = newJob({ orgId: holder.orgId, jobId: holder.jobId })
    await using aws = await openProxy(refuseWithItem)
    expect(await aws.jobs.create(late, request, expiresAt)).toEqual(idTaken)
    expect(aws.operations()).toEqual(['PutItem', 'PutItem'])
    await using bare = await openProxy(async () => undefined)
    expect(await bare.jobs.create(late, request, expiresAt)).toEqual(idTaken)
    expect(bare.operations()).toEqual(['PutItem', 'PutItem', 'BatchGetItem'])
  })

  it.each([
    { how: 'with the item', answer: refuseWithItem },
    { how: 'without the item', answer: async () => undefined },
  ])('fails, and is no replay, if the item is not a job (refused $how)', async ({ answer }) => {
    const job = newJob()
    const foreign = { ...jobKeyItem(job), run: 'another', note: 'not a job' }
    await connectDynamo().send(new PutCommand({ TableName: tables.jobs, Item: foreign }))
    await using proxy = await openProxy(answer)
    await expect(proxy.jobs.create(job, request, expiresAt)).rejects.toThrow(/Invalid key/)
  })

  it('leads to another put if the id has become free in the meantime', async () => {
    const job = newJob()
    await using proxy = await openProxy(async (_, turn) =>
      turn === 2 ? refuse(400, 'ConditionalCheckFailedException') : undefined,
    )
    expect(await proxy.jobs.create(job, request, expiresAt)).toEqual(creationOutcome)
    expect(proxy.operations()).toEqual(['PutItem', 'PutItem', 'BatchGetItem', 'PutItem'])
    expect(await jobs.read(job)).toEqual(job)
  })

  it('fails in the end if the id keeps being taken and freed', async () => {
    await using proxy = await openProxy(async ({ body }) =>
      body.includes('ConditionExpression') ? refuse(400, 'ConditionalCheckFailedException') : undefined,
    )
    await expect(proxy.jobs.create(newJob(), request, expiresAt)).rejects.toThrow('taken and freed again')
    expect(proxy.operations().filter((operation) => operation === 'PutItem')).toHaveLength(1 + 5)
  })
})

describe('a new job whose put failed after its effect', () => {
  it.each(['before', 'after'])('exists once, even if the SDK retries %s a step has picked it up', async (when) => {
    const job = newJob()
    await using proxy = await openProxy(async (call, turn) => {
      if (turn !== 2) return undefined
      await forward(dynamo, call)
      if (when === 'after') await jobs.begin(job, { contents: ['content-1'] }, touchedAt)
      return refuse(500, 'InternalServerError')
    })
    expect(await proxy.jobs.create(job, request, expiresAt)).toEqual(creationOutcome)
    const begun = { status: 'processing', contents: ['content-1'] }
    expect(await jobs.read(job)).toEqual(when === 'after' ? { ...job, ...begun } : job)
  })
})

describe.each(Object.entries(stores))('in %s', (_, jobs) => {
  describe('a new job whose id is taken', () => {
    it.each<JobStatus>(['queued', 'processing', 'completed', 'failed'])(
      'returns the %s job of another run, and stores nothing',
      async (status) => {
        const holder = await storeJob(jobs, status)
        const late = { ...newJob(), orgId: holder.orgId, jobId: holder.jobId, requestHash: hashRequest(otherRequest) }
        const creation = await jobs.create(late, otherRequest, expiresAt)
        expect(creation).toEqual({ outcome: 'id-taken', by: describeHolder(holder) })
        expect(await jobs.read(holder)).toEqual(holder)
        expect(await jobs.readRequest(holder.orgId, holder.requestHash)).toEqual(request)
      },
    )
  })

  describe('an id whose job has outlived its retention', () => {
    it.each(['completed', 'failed'] as const)('becomes free after a %s job, to the millisecond', async (status) => {
      const holder = await storeJob(jobs, status)
      const next = newJob({ orgId: holder.orgId, jobId: holder.jobId, requestHash: hashRequest(otherRequest) })
      const early = addSeconds(endedAt, -0.001)
      expect(await jobs.create(next, otherRequest, expiresAt, early)).toMatchObject({ outcome: 'id-taken' })
      expect(await jobs.read(holder)).toEqual(holder)
      expect(await jobs.create(next, otherRequest, expiresAt, endedAt)).toEqual(creationOutcome)
      expect(await jobs.read(next)).toEqual(next)
    })

    it.each(['queued', 'processing'] as const)('stays taken while its job is %s', async (status) => {
      const holder = await storeJob(jobs, status)
      const next = newJob({ orgId: holder.orgId, jobId: holder.jobId })
      const creation = await jobs.create(next, request, expiresAt, new Date('9999-01-01T00:00:00Z'))
      expect(creation).toMatchObject({ outcome: 'id-taken' })
      expect(await jobs.read(holder)).toEqual(holder)
    })

    it('ignores late writes of its previous job', async () => {
      const holder = await storeJob(jobs, 'completed')
      const next = newJob({ orgId: holder.orgId, jobId: holder.jobId, createdAt: endedAt })
      await jobs.create(next, request, expiresAt, endedAt)
      expect(await jobs.begin(holder, { contents: ['content-9'] }, touchedAt)).toBe('superseded')
      expect(await jobs.begin(next, { contents: ['content-2'] }, touchedAt)).toBe('written')
      expect(await jobs.complete(completedBy(next), expiresAt)).toBe('written')
      expect(await jobs.read(next)).toEqual(completedBy(next))
    })
  })

  describe('forty concurrent creators of one id', () => {
    const creators = Array.from({ length: 40 }, (_, index) => `run${index}`)

    it.each(['free', 'past its retention'])(
      'create one job of an id that is %s, and all others get that job',
      async (state) => {
        const { orgId, jobId } = state === 'free' ? newJob() : await storeJob(jobs, 'failed')
        const creations = await Promise.all(
          creators.map((run) => jobs.create(newJob({ orgId, jobId, run }), request, expiresAt, endedAt)),
        )
        const winner = creations.findIndex(({ outcome }) => outcome === 'created')
        const job = newJob({ orgId, jobId, run: `run${winner}` })
        expect(await jobs.read(job)).toEqual(job)
        expect(creations).toEqual(
          creators.map((_, index) => (index === winner ? creationOutcome : { outcome: 'id-taken', by: job })),
        )
      },
    )
  })
})
