import { AthenaClient } from '@aws-sdk/client-athena'
import { BatchClient } from '@aws-sdk/client-batch'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { SFNClient } from '@aws-sdk/client-sfn'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { createAthenaQueryRows } from '../../adapters/athena/athena-query-rows.ts'
import { createLoadJobs } from '../../adapters/batch-load-jobs.ts'
import { queryItems, readItems, scanItems } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoUnendedJobs } from '../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { readQuota } from '../../adapters/service-quotas.ts'
import { createLoadExecutions } from '../../adapters/sfn-load-executions.ts'
import { newKey } from '../builders/new-key.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'

let answer: object = {}
const stub = await startHttpStub(() => ({ status: 200, body: JSON.stringify(answer) }))
const sdk = sdkSettings(stub.url)

afterAll(() => stub[Symbol.asyncDispose]())

const athena = new AthenaClient(sdk)
const queries = createAthenaQueries({ workGroup: 'w', database: 'd' }, athena)
const rows = createAthenaQueryRows(athena)
const loadJobs = createLoadJobs('queue', new BatchClient(sdk))
const executions = createLoadExecutions('machine', new SFNClient(sdk))
const quotas = new ServiceQuotasClient(sdk)
const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(sdk))
const usages = createDynamoUsages(dynamo, 'jobs')
const lookup = createDynamoJobLookup(dynamo, { jobs: 'jobs', access: 'access' })
const unended = createDynamoUnendedJobs(dynamo, 'jobs')

/** Reads, and their results for the answer `{}`. Members without a value are optional in every AWS API. */
const reads: readonly (readonly [name: string, read: () => Promise<unknown>, expected: unknown])[] = [
  ['the state of a query', () => queries.look('query'), { state: 'running' }],
  ['the rows of a query', () => rows.readAll('query'), { columns: [], rows: [] }],
  ['the containers of a load', () => loadJobs.listContainers('load'), []],
  ['the execution of a load', () => executions.findRunning('load'), undefined],
  ['a quota', () => readQuota('fargateSpot', quotas), undefined],
  ['items by key', () => readItems(dynamo, 'table', [{ key: 'a' }]), []],
  ['the items of a query', () => Array.fromAsync(queryItems(dynamo, { TableName: 'table' })), []],
  ['the items of a scan', () => Array.fromAsync(scanItems(dynamo, { TableName: 'table' })), []],
  ['the usages to review', () => usages.list(new Date(0), 10), []],
  ['a job', () => lookup.lookUp(newKey().presented, 'job'), { access: {} }],
  ['the jobs that have not ended', () => unended.list(10), []],
]

describe('an answer of AWS without its optional members', () => {
  it.each(reads)('counts as empty: %s', async (_, read, expected) => {
    answer = {}
    const countBefore = stub.calls.length
    expect(await read()).toStrictEqual(expected)
    expect(stub.calls.length).toBeGreaterThan(countBefore)
  })

  it('gives rows without values', async () => {
    answer = { ResultSet: { Rows: [{}, { Data: [{}] }, {}] } }
    expect(await rows.readAll('query')).toStrictEqual({ columns: [], rows: [[undefined], []] })
  })

  it.each([
    ['Name', {}],
    ['Type', { Name: 'plan' }],
    ['Precision', { Name: 'negotiated_rate', Type: 'decimal' }],
  ])('refuses columns of rows without %s, which every column has', async (field, column) => {
    answer = { ResultSet: { ResultSetMetadata: { ColumnInfo: [column] } } }
    await expect(rows.readAll('query')).rejects.toThrow(new TypeError(`Athena gave an answer without ${field}`))
  })
})
