import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, expect, it } from 'vitest'
import { createDynamoCatalogue } from '../../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoLoadRecords } from '../../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { createDynamoListFaults } from '../../../adapters/dynamodb/dynamo-list-faults.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoLoadWork } from '../../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { newJob } from '../../builders/new-job.ts'
import { newKey } from '../../builders/new-key.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

const stub = await startHttpStub(() => ({ status: 200, body: '{}' }))
const client = DynamoDBDocumentClient.from(new DynamoDBClient(sdkSettings(stub.url)))
const access = createDynamoAccess(client, 'access')
const jobs = createDynamoJobs(client, 'jobs')
const catalogue = createDynamoCatalogue(client, 'catalogue', 'contents')
const contents = createDynamoContents(client, 'contents')
const records = createDynamoLoadRecords(client, 'contents')
const work = createDynamoLoadWork(client, 'contents')

afterAll(() => stub[Symbol.asyncDispose]())

/** Reads that must see all earlier writes. A plan, key or job that they miss would count as deleted. */
const reads: readonly (readonly [what: string, read: () => Promise<unknown>])[] = [
  ['access', () => access.readAccess(newKey().presented)],
  ['organizations', () => access.listOrganizations()],
  ['keys', () => access.listKeys('org')],
  ['a job', () => jobs.read(newJob())],
  ['fee schedules', () => catalogue.find([{ payer: 'Acme', plan: 'Gold' }])],
  ['the list of fee schedules', () => catalogue.list({ limit: 1 })],
  ["a payer's fee schedules", () => catalogue.list({ payer: 'Acme', limit: 1 })],
  ['variants', () => catalogue.listVariants({ payer: 'Acme', plan: 'Gold' })],
  ['postings of the index', () => catalogue.findPostings('go')],
  ['postings of keys', () => catalogue.findPostingsOf(['go'])],
  ['whether the catalogue is indexed', () => catalogue.isIndexed()],
  ['segments of the index', () => catalogue.listSegments()],
  ['contents', () => Array.fromAsync(contents.listContents())],
  ['the sources of a content', () => contents.readSourceRefs('content')],
  ['the faults of lists', () => createDynamoListFaults(client, 'jobs').read()],
  ['open loads', () => records.listOpen()],
  ['the open files of a load', () => Array.fromAsync(work.listOpen('load'))],
]

it.each(reads)('reads with strong consistency: %s', async (_, read) => {
  const countBefore = stub.calls.length
  await read()
  const calls = stub.calls.slice(countBefore)
  expect(calls.length).toBeGreaterThan(0)
  for (const { body } of calls) {
    const { RequestItems, ...input } = JSON.parse(body)
    for (const each of RequestItems === undefined ? [input] : Object.values(RequestItems))
      expect(each).toMatchObject({ ConsistentRead: true })
  }
})
