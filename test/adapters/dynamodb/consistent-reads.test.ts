import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { createDynamoCatalogue } from '../../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoLoadWork } from '../../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { newJob } from '../../builders/new-job.ts'
import { newKey } from '../../builders/new-key.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'

/** Reads that must see what was written before: a plan, key or job that they miss is taken for one that is gone. */
const reads: readonly (readonly [what: string, read: (client: DynamoDBDocumentClient) => Promise<unknown>])[] = [
  ['access', (client) => createDynamoAccess(client, 'access').readAccess(newKey().presented)],
  ['organizations', (client) => createDynamoAccess(client, 'access').listOrganizations()],
  ['keys', (client) => createDynamoAccess(client, 'access').listKeys('org')],
  ['a job', (client) => createDynamoJobs(client, 'jobs').read(newJob())],
  ['fee schedules', (client) => createDynamoCatalogue(client, 'catalogue').find([{ payer: 'Acme', plan: 'Gold' }])],
  ['the list of fee schedules', (client) => createDynamoCatalogue(client, 'catalogue').list({ limit: 1 })],
  ["a payer's fee schedules", (client) => createDynamoCatalogue(client, 'catalogue').list({ payer: 'A', limit: 1 })],
  ['variants', (client) => createDynamoCatalogue(client, 'catalogue').listVariants({ payer: 'Acme', plan: 'Gold' })],
  ['contents', (client) => Array.fromAsync(createDynamoContents(client, 'contents').listContents())],
  ['the sources of a content', (client) => createDynamoContents(client, 'contents').readSourceRefs('content')],
  ['open loads', (client) => createDynamoContents(client, 'contents').listOpenLoads()],
  ['the open files of a load', (client) => Array.fromAsync(createDynamoLoadWork(client, 'contents').listOpen('load'))],
]

it.each(reads)('%s are read with strong consistency', async (_, read) => {
  await using stub = await startHttpStub(() => ({ status: 200, body: '{}' }))
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint: stub.url, region: 'us-east-1', credentials })
  await read(DynamoDBDocumentClient.from(client))
  expect(stub.calls.length).toBeGreaterThan(0)
  for (const { body } of stub.calls) {
    const { RequestItems, ...input } = JSON.parse(body)
    for (const each of RequestItems === undefined ? [input] : Object.values(RequestItems))
      expect(each).toMatchObject({ ConsistentRead: true })
  }
})
