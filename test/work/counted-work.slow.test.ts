import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parquetMetadata } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { startLocalService } from '../../bin/command/local-service.ts'
import { createDemoOrganization, loadInto } from '../../bin/samples/seed.ts'
import type { SearchRequest } from '../../core/search/search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import type { LocalService } from '../../local/service.ts'
import { generateInNetworkFile } from '../bench/loader/generate-in-network-file.ts'
import { createTestWarehouse, type TestWarehouse } from '../builders/test-warehouse.ts'
import { openSearchClient, type SearchClient } from '../harness/search-client.ts'
import { waitForQueries } from '../local/query-wait.ts'
import { RequestObserver } from './observe-requests.ts'
import { profileStatement } from './profile-statement.ts'

/**
 * The work that this version does: it depends neither on the machine nor on other work on it. More of it is slower or
 * costs more, so a change belongs into this table, and its reason into the message of the commit.
 */
const expectedWork = {
  // Files of the warehouse.
  load: { filesWritten: 4, rowGroupsWritten: 9, bytesWritten: 138_089 },
  // Rows and hash tables of DuckDB's operators.
  'statement of ten codes': { rowsScanned: 13_471, rowsPassed: 28_982, hashTables: 7 },
  'statement of an absent code': { rowsScanned: 5158, rowsPassed: 15_471, hashTables: 6 },
  'statement of an NPI': { rowsScanned: 8315, rowsPassed: 8318, hashTables: 8 },
  'statement of a summary by tins': { rowsScanned: 21_784, rowsPassed: 59_820, hashTables: 19 },
  'statement of a summary by prices': { rowsScanned: 16_628, rowsPassed: 23_755, hashTables: 13 },
  // Requests to AWS.
  'requests of a first load': {
    'dynamodb:BatchGetItem': 8,
    'dynamodb:PutItem': 23,
    'dynamodb:Query': 5,
    'dynamodb:Scan': 3,
    'dynamodb:UpdateItem': 4,
  },
  'requests of a load without changes': {
    'dynamodb:BatchGetItem': 7,
    'dynamodb:DeleteItem': 1,
    'dynamodb:PutItem': 4,
    'dynamodb:Query': 3,
    'dynamodb:Scan': 2,
    'dynamodb:UpdateItem': 3,
  },
  'requests of a search': {
    'athena:StartQueryExecution': 1,
    'dynamodb:BatchGetItem': 7,
    'dynamodb:PutItem': 3,
    'dynamodb:Query': 2,
    'dynamodb:UpdateItem': 7,
    'events:PutEvents': 1,
    's3:GET': 5,
    's3:HEAD': 4,
    's3:PUT': 3,
    'states:StartExecution': 1,
  },
  'requests of a search without rows': {
    'athena:StartQueryExecution': 1,
    'dynamodb:BatchGetItem': 7,
    'dynamodb:PutItem': 3,
    'dynamodb:Query': 2,
    'dynamodb:UpdateItem': 7,
    'events:PutEvents': 1,
    's3:GET': 1,
    's3:PUT': 4,
    'states:StartExecution': 1,
  },
  'requests of a summary': {
    'athena:StartQueryExecution': 1,
    'dynamodb:BatchGetItem': 7,
    'dynamodb:PutItem': 3,
    'dynamodb:Query': 2,
    'dynamodb:UpdateItem': 7,
    'events:PutEvents': 1,
    's3:GET': 2,
    's3:HEAD': 1,
    's3:PUT': 3,
    'states:StartExecution': 1,
  },
  'requests of a poll': { 'dynamodb:BatchGetItem': 1 },
  'requests of a page of rows': { 'dynamodb:BatchGetItem': 2, 'dynamodb:UpdateItem': 1, 's3:GET': 1 },
} as const

type What = keyof typeof expectedWork

const folder = mkdtempSync(join(tmpdir(), 'counted-work-'))
const file = join(folder, 'rates.json')
const codes: string[] = []

beforeAll(async () => {
  await generateInNetworkFile(file, { megabytes: 2, groups: 'referenced', largeItem: 0, seed: 7 })
  const text = await readFile(file, 'utf8')
  for (const [, code = ''] of text.matchAll(/"billing_code"\s*:\s*"([^"]+)"/g)) if (codes.length < 10) codes.push(code)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the work of the loader and of statements', () => {
  let warehouse: TestWarehouse

  beforeAll(async () => {
    warehouse = await createTestWarehouse()
    await warehouse.load({ files: [file] })
  })

  afterAll(() => warehouse[Symbol.asyncDispose]())

  it('equals that of the table, for a load', async () => {
    const names = await readdir(warehouse.root, { recursive: true })
    const paths = names.filter((name) => name.endsWith('.parquet')).map((name) => join(warehouse.root, name))
    const bytes = await Promise.all(paths.map(async (path) => new Uint8Array(await readFile(path)).buffer))
    const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
    expect({
      filesWritten: bytes.length,
      bytesWritten: sum(bytes.map(({ byteLength }) => byteLength)),
      rowGroupsWritten: sum(bytes.map((each) => parquetMetadata(each).row_groups.length)),
    }).toEqual(expectedWork.load)
  })

  it.each<[What, () => Omit<SearchRequest, 'feeSchedules'>]>([
    ['statement of ten codes', () => ({ billingCodes: codes })],
    ['statement of an absent code', () => ({ billingCodes: ['ABSENT'] })],
    ['statement of an NPI', () => ({ npis: [1_000_000_000] })],
    ['statement of a summary by tins', () => ({ billingCodes: codes, summary: { weight: 'tins', by: [] } })],
    ['statement of a summary by prices', () => ({ billingCodes: codes, summary: { weight: 'prices', by: [] } })],
  ])('equals that of the table, for the %s', async (what, filters) => {
    const feeSchedules = warehouse.listNames()
    const contents = feeSchedules.flatMap(({ state }) => (state.status === 'active' ? [state.contentId] : []))
    const statement = selectStatement({ ...filters(), feeSchedules }, { contents })
    expect(await profileStatement(warehouse, statement)).toEqual(expectedWork[what])
  })
})

type IsCounted = Parameters<RequestObserver['take']>[0]

const isFunction: IsCounted = (name) => name !== undefined

describe('the requests to AWS', () => {
  const observer = new RequestObserver()
  let service: LocalService

  beforeAll(async () => {
    const { observe, onInvocation } = observer
    // A query that takes long must not be handed to the next step, which makes requests of its own.
    const adjust = waitForQueries(60_000)
    service = await startLocalService(join(folder, 'data'), 0, { observe, onInvocation, adjust })
  })

  afterAll(() => service.close())

  /** Counts the requests that functions make for some work; the local Athena is none. */
  async function count(work: () => Promise<unknown>, isCounted: IsCounted = isFunction) {
    observer.take(() => true)
    await work()
    // The events of a search follow its answer.
    await sleep(1500)
    return observer.take(isCounted)
  }

  it('equal those of the table, for loads', async () => {
    const load = () =>
      count(
        () => loadInto(service, { files: [file] }),
        (name) => name === undefined,
      )
    expect(await load()).toEqual(expectedWork['requests of a first load'])
    expect(await load()).toEqual(expectedWork['requests of a load without changes'])
  })

  it('equal those of the table, for searches and polls', async () => {
    const access = createDynamoAccess(connectDynamo(), service.tables.Access)
    const { api_key: key } = await createDemoOrganization(access, 'Counted')
    const client = await openSearchClient(service.baseUrl, key)
    const frequent = { billing_codes: codes }
    // The first search of a function's environment also asks for credentials.
    const jobId = await client.search(frequent)
    await client.call(`searches/${jobId}/rows?limit=100`)
    // The number of polls depends on the time that a search takes.
    const search = (filters: Parameters<SearchClient['search']>[0]) =>
      count(
        () => client.search(filters),
        (name) => name !== undefined && name !== 'GetSearch',
      )
    const searches = {
      'requests of a search': await search(frequent),
      'requests of a search without rows': await search({ billing_codes: ['ABSENT'] }),
      'requests of a summary': await search({ ...frequent, summary: {} }),
      'requests of a poll': await count(() => client.poll(jobId)),
      'requests of a page of rows': await count(() => client.call(`searches/${jobId}/rows?limit=100`)),
    }
    expect({ ...expectedWork, ...searches }).toEqual(expectedWork)
  })
})
