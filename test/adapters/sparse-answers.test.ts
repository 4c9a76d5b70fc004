import { AthenaClient } from '@aws-sdk/client-athena'
import { BatchClient } from '@aws-sdk/client-batch'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GlueClient } from '@aws-sdk/client-glue'
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { SFNClient } from '@aws-sdk/client-sfn'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { createAthenaQueryRows } from '../../adapters/athena/athena-query-rows.ts'
import { createGluePartitions } from '../../adapters/athena/glue-partitions.ts'
import { createLoadJobs } from '../../adapters/batch-load-jobs.ts'
import { queryItems, readItems, scanItems } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoUnendedJobs } from '../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { readFargateQuotas } from '../../adapters/fargate-quotas.ts'
import { createLoadExecutions } from '../../adapters/sfn-load-executions.ts'
import { contentTable } from '../../schema/columns/warehouse-tables.ts'
import { newKey } from '../builders/new-key.ts'
import { startHttpStub } from '../doubles/http-stub.ts'

interface Sdk {
  readonly endpoint: string
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly maxAttempts: number
}

const documents = (sdk: Sdk) => DynamoDBDocumentClient.from(new DynamoDBClient(sdk))
const { presented } = newKey()
const at = new Date('2026-11-20T09:30:00.000Z')

const none = { columns: [], rows: [] }
const tables = { jobs: 'jobs', access: 'access' }
const queriesOf = (sdk: Sdk) => createAthenaQueries({ workGroup: 'w', database: 'd' }, new AthenaClient(sdk))
const executionsOf = (sdk: Sdk) => createLoadExecutions('machine', new SFNClient(sdk))

/** What each read returns if the answer to it is `{}`: members that have no value are optional in every AWS API. */
const reads: readonly (readonly [what: string, read: (sdk: Sdk) => Promise<unknown>, expected: unknown])[] = [
  ['the state of a query', (sdk) => queriesOf(sdk).look('query'), { state: 'running' }],
  ['the rows of a query', (sdk) => createAthenaQueryRows(new AthenaClient(sdk)).readAll('query'), none],
  ['the containers of a load', (sdk) => createLoadJobs('queue', new BatchClient(sdk)).listContainers('load'), []],
  ['the execution of a load', (sdk) => executionsOf(sdk).findRunning('load'), undefined],
  ['the quotas of Fargate', (sdk) => readFargateQuotas(new ServiceQuotasClient(sdk)), { spot: 0, onDemand: 0 }],
  ['items by key', (sdk) => readItems(documents(sdk), 'table', [{ key: 'a' }]), []],
  ['the items of a query', (sdk) => Array.fromAsync(queryItems(documents(sdk), { TableName: 'table' })), []],
  ['the items of a scan', (sdk) => Array.fromAsync(scanItems(documents(sdk), { TableName: 'table' })), []],
  ['the usages to review', (sdk) => createDynamoUsages(documents(sdk), 'table').list(at, 10), []],
  ['a job', (sdk) => createDynamoJobLookup(documents(sdk), tables).lookUp(presented, 'job'), { access: {} }],
  ['the jobs that have not ended', (sdk) => createDynamoUnendedJobs(documents(sdk), 'table').list(10), []],
]

async function answerWith(body: object) {
  const stub = await startHttpStub(() => ({ status: 200, body: JSON.stringify(body) }))
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const sdk: Sdk = { endpoint: stub.url, region: 'us-east-1', credentials, maxAttempts: 1 }
  return { sdk, calls: stub.calls, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() }
}

describe('an answer of AWS without its optional members', () => {
  it.each(reads)('is an empty one: %s', async (_, read, expected) => {
    await using answered = await answerWith({})
    expect(await read(answered.sdk)).toStrictEqual(expected)
    expect(answered.calls.length).toBeGreaterThan(0)
  })

  it('has rows without values', async () => {
    await using answered = await answerWith({ ResultSet: { Rows: [{}, { Data: [{}] }, {}] } })
    const rows = createAthenaQueryRows(new AthenaClient(answered.sdk))
    expect(await rows.readAll('query')).toStrictEqual({ columns: [], rows: [[undefined], []] })
  })

  it('is no place for partitions', async () => {
    await using answered = await answerWith({})
    const partitions = createGluePartitions('rates', new GlueClient(answered.sdk))
    await expect(partitions.add(contentTable, [['content']])).rejects.toThrow('is at undefined, not in a folder')
    await partitions.drop(contentTable, [['content']])
  })
})
