import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, expect, it } from 'vitest'
import { createDynamoLoadRecords } from '../../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoLoadWork } from '../../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { expiresAt, newJob } from '../../builders/new-job.ts'
import { request } from '../../builders/sample-search.ts'
import { refuse, startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

/** A DynamoDB that accepts the request of a search, and refuses every other write. */
const stub = await startHttpStub(({ body }) =>
  body.includes('request#') ? { status: 200, body: '{}' } : refuse(400, 'ResourceNotFoundException'),
)
const client = DynamoDBDocumentClient.from(new DynamoDBClient(sdkSettings(stub.url)))
const jobs = createDynamoJobs(client, 'jobs')
const records = createDynamoLoadRecords(client, 'contents')
const work = createDynamoLoadWork(client, 'contents')

afterAll(() => stub[Symbol.asyncDispose]())

it.each([
  ['creating a job', () => jobs.create(newJob(), request, expiresAt)],
  ['touching a job', () => jobs.touch(newJob(), new Date())],
  ['leasing a file', () => work.lease('load', 'key', { worker: 'w', until: new Date() }, new Date())],
  ['touching a load', () => records.touch('load', new Date())],
])('fails if DynamoDB refuses a write for another reason than its condition: %s', async (_, write) => {
  await expect(write()).rejects.toThrow('ResourceNotFoundException')
})
