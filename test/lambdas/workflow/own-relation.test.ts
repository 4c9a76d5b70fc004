import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AthenaClient } from '@aws-sdk/client-athena'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { createDynamoCatalogue } from '../../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createS3Objects } from '../../../adapters/s3/s3-objects.ts'
import { listAll } from '../../../core/catalogue/list-catalogue.ts'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import { startAthena } from '../../../local/athena/server.ts'
import { createTables, startDynamo } from '../../../local/dynamodb/server.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { shardSchema } from '../../../schema/columns/shard-schema.ts'
import { writeParquet } from '../../local/athena/warehouse-fixture.ts'
import { openEntryPoints } from '../enter.ts'
import { endpoints } from '../search-api.ts'
import { readRows } from './read-shards.ts'
import { completeSearch, resultFiles, storeSearch } from './run-steps.ts'

const folder = mkdtempSync(join(tmpdir(), 'own-relation-'))
const warehouseFolder = join(folder, 'warehouse')
const running = new AsyncDisposableStack()
const entryPoints = openEntryPoints()

/** The columns of the operator's rates: the required ones and an optional one. */
const columns = [...ratesColumns.filter(({ required }) => required).map(({ name }) => name), 'plan_id_count']

const gold = { payer: 'Own Health', plan: 'Gold' }

let catalogue: CatalogueAdmin
let queries: ReturnType<typeof createAthenaQueries>
let refresh: () => Promise<void>

/** The operator's rates in the types of another tool: two codes for each of 1,500 NPIs. */
const operatorRates = `SELECT 'Own Health' AS payer, 'Gold' AS plan, 1000000000 + range // 2 AS npi,
  'CPT' AS billing_code_type, CASE range % 2 WHEN 0 THEN '99213' ELSE '99214' END AS billing_code, 12.25::DOUBLE AS negotiated_rate,
  'usd' AS rate_unit, 'negotiated' AS negotiated_type, 'ffs' AS negotiation_arrangement, 'ein' AS tin_type,
  '012345678' AS tin_value, 7 AS plan_id_count FROM range(3000)`

const offer = (...plans: readonly string[]) =>
  writeParquet(
    join(warehouseFolder, 'fee_schedules'),
    plans
      .map((plan) => `SELECT ' Own  Health' AS payer, '${plan}' AS plan, DATE '2026-10-01' AS last_updated_on`)
      .join(' UNION ALL '),
  )

beforeAll(async () => {
  running.defer(() => rmSync(folder, { recursive: true }))
  await writeParquet(join(warehouseFolder, 'rates'), operatorRates)
  const athena = await startAthena({
    warehouseFolder,
    objects: createS3Objects(),
    outputLocation: endpoints.queryResults,
    now: () => new Date(),
    newId: randomUUID,
  })
  running.defer(() => athena.close())
  // A separate catalogue, because a refresh removes fee schedules that its relation lacks.
  const dynamo = await startDynamo(join(folder, 'dynamodb'))
  running.defer(() => dynamo.close())
  await createTables(dynamo.url)
  const marshallOptions = { removeUndefinedValues: true }
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: dynamo.url }), { marshallOptions })
  const athenaClient = new AthenaClient({ endpoint: athena.url })
  catalogue = createDynamoCatalogue(client, endpoints.tables.catalogue, endpoints.tables.contents)
  queries = createAthenaQueries({ workGroup: 'own', database: 'own' }, athenaClient)
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    AWS_ENDPOINT_URL_ATHENA: athena.url,
    CATALOGUE_TABLE: endpoints.tables.catalogue,
    CONTENTS_TABLE: endpoints.tables.contents,
    STAGE: 'own',
    WORKGROUP: 'own',
    DATABASE: 'own',
  }
  const load = () => import('../../../lambdas/refresh-fee-schedules/index.ts')
  refresh = async () => (await entryPoints.enter('refresh-fee-schedules', load, variables))()
})

afterAll(() => running.disposeAsync())

const namesOf = async () => (await listAll(catalogue)).map(({ payer, plan }) => `${payer} / ${plan}`)

describe("a service over an operator's relations", () => {
  it('lists the fee schedules that are currently in the relation', async () => {
    await offer('Gold', 'Gold ', 'Silver')
    await refresh()
    expect(await namesOf()).toEqual(['Own Health / Gold', 'Own Health / Silver'])
    expect((await catalogue.find([gold]))[0]).toMatchObject({
      state: { status: 'relation', lastUpdatedOn: '2026-10-01' },
    })
    await offer('Gold')
    await refresh()
    expect(await namesOf()).toEqual(['Own Health / Gold'])
    const line = { operation: 'refresh-fee-schedules', event: 'fee schedules refreshed', superseded: 0, unfit: 0 }
    const scan = { Stage: 'own', BytesScanned: expect.any(Number) }
    expect(entryPoints.lines).toMatchObject([
      scan,
      { ...line, written: 2, removed: 0 },
      scan,
      { ...line, written: 0, removed: 1 },
    ])
  })

  it('returns rows in the common schema, with typed NULLs for columns that the relation lacks', async () => {
    await offer('Gold')
    await refresh()
    const input = await storeSearch({ billingCodes: ['99213'], feeSchedules: [gold] })
    const deps = { catalogue, queries, columns, ratesLocation: 's3://own-rates/' }
    const { shards } = (await completeSearch(input, deps)).job
    expect(shards.length).toBeGreaterThan(1)
    for (const { key } of shards) expect((await resultFiles.readFooter(key)).schema).toEqual(shardSchema(ratesColumns))
    const rows = await readRows(shards)
    expect(rows).toHaveLength(1500)
    const hasValue = (name: string) => rows.some((row) => (row[name] ?? null) !== null)
    const columnsWithValues = ratesColumns.map(({ name }) => name).filter(hasValue)
    expect(new Set(columnsWithValues)).toEqual(new Set(columns))
    expect(rows.find(({ npi }) => npi === 1000000007n)).toMatchObject({
      ...gold,
      billing_code: '99213',
      negotiated_rate: 12.25,
      plan_id_count: 7,
      tin_value: '012345678',
    })
  })

  it('sums up rates, with NULL for what it cannot count without flags and price ids', async () => {
    await offer('Gold')
    await refresh()
    const summary = { weight: 'tins', by: ['npi'] } as const
    const input = await storeSearch({ billingCodes: ['99213'], npis: [1000000007], feeSchedules: [gold], summary })
    const { shards } = (await completeSearch(input, { catalogue, queries, columns, ratesLocation: 's3://own-rates/' }))
      .job
    const [row, ...others] = await readRows(shards)
    expect(others).toEqual([])
    expect(row).toMatchObject({
      ...gold,
      npi: 1000000007n,
      weight: 'tins',
      value_count: 1n,
      ein_count: 1n,
      median: 12.25,
    })
    const unknown = { p25: null, price_count: null, left_out_count: null, placeholder_count: null, file_count: null }
    expect(row).toMatchObject(unknown)
  })
})
