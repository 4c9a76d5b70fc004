import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unloadStatement } from '../../../core/search/statement.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { openAthena, type TestAthena, unloadOf } from './test-athena.ts'
import { loadSource, readColumn, runDuckdb, sqlText } from './warehouse-fixture.ts'

const request = { npis: [1_000_000_000], feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }
const scope = { contents: ['s1'] }
const destination = 's3://results/org/job/run/attempt-1/'

let athena: TestAthena

beforeEach(async () => {
  athena = await openAthena()
})

afterEach(() => athena.close())

const unloadTo = (to = destination) => athena.unload(unloadStatement(request, scope, to))

describe('UNLOAD', () => {
  it('writes each row of a search once, to several files named as in Athena', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 3500 })
    const addresses = await unloadTo()
    expect(addresses).toHaveLength(4)
    for (const address of addresses)
      expect(address).toMatch(/^s3:\/\/results\/org\/job\/run\/attempt-1\/\d{8}_\d{6}_\d{5}_\w{5}_[0-9a-f-]{36}$/)
    expect(await readColumn(addresses.map(athena.objects.pathOf), 'price_id')).toEqual(
      Array.from({ length: 3500 }, (_, index) => `p${index}`).sort(),
    )
  })

  it('keeps the smallest results in one file, and never exceeds the maximum number of files', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 1000 })
    expect(await unloadTo('s3://results/small/')).toHaveLength(1)
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 20_000 })
    expect(await unloadTo('s3://results/large/')).toHaveLength(4)
  })

  it('writes one file of a result that would take long to cut, with each row once', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 100_001 })
    const [address, ...others] = await unloadTo()
    expect(others).toEqual([])
    const ids = await readColumn([athena.objects.pathOf(address ?? '')], 'price_id')
    expect(new Set(ids).size).toBe(100_001)
  })

  it('lists exactly the files below the destination in its manifest', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 2500 })
    const addresses = await unloadTo()
    const keys = await athena.objects.list('results', 'org/')
    expect(addresses.toSorted()).toEqual(keys.map((key) => `s3://results/${key}`))
  })

  it('puts the manifest below the output location, named by the query id', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    const query = await athena.run(unloadStatement(request, scope, destination))
    expect(query.Statistics?.DataManifestLocation).toBe(`s3://results/athena/${query.QueryExecutionId}-manifest.csv`)
    expect(query.ResultConfiguration?.OutputLocation).toBe(`s3://results/athena/${query.QueryExecutionId}`)
  })

  it('writes no file and an empty manifest for zero rows', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', payer: 'Another Payer' })
    const { Statistics } = await athena.run(unloadStatement(request, scope, destination))
    expect(await athena.objects.read(Statistics?.DataManifestLocation ?? '')).toBe('')
    expect(await athena.objects.list('results', 'org/')).toEqual([])
  })

  it('writes the result columns in order, all optional, with their logical types', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    const [address = ''] = await unloadTo()
    const path = sqlText(athena.objects.pathOf(address))
    const described = await runDuckdb(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${path}))`,
    )
    expect(described).toEqual(
      ratesColumns.map(({ name, type }) => [name, type === 'varchar ARRAY' ? 'VARCHAR[]' : type.toUpperCase()]),
    )
    const repetitions = await runDuckdb(
      `SELECT DISTINCT repetition_type FROM parquet_schema(${path}) WHERE name NOT IN ('list', 'duckdb_schema')`,
    )
    expect(repetitions).toEqual([['OPTIONAL']])
  })

  it.each([
    ['SNAPPY', 'SNAPPY'],
    ['ZSTD', 'ZSTD'],
    ['GZIP', 'GZIP'],
    ['NONE', 'UNCOMPRESSED'],
  ])('compresses as requested: %s', async (compression, codec) => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    const [address = ''] = await athena.unload(
      unloadOf('SELECT npi FROM rates', destination, `compression = '${compression}'`),
    )
    const path = sqlText(athena.objects.pathOf(address))
    expect(await runDuckdb(`SELECT DISTINCT compression FROM parquet_metadata(${path})`)).toEqual([[codec]])
  })

  it('refuses a destination that has files, and does not touch them', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    const before = await unloadTo()
    const { Status } = await athena.run(unloadStatement(request, scope, destination))
    expect(Status?.State).toBe('FAILED')
    expect(Status?.StateChangeReason).toContain('HIVE_PATH_ALREADY_EXISTS')
    expect((await athena.objects.list('results', 'org/')).map((key) => `s3://results/${key}`)).toEqual(before)
  })

  it("fails with the object store's message if the store refuses a file", async () => {
    await athena.close()
    const putObject = () => Promise.reject(new Error('no such bucket'))
    athena = await openAthena({
      objects: { putObject, isEmptyPrefix: async () => true, readText: async () => undefined },
    })
    const { Status } = await athena.run(unloadStatement(request, scope, destination))
    expect(Status?.State).toBe('FAILED')
    expect(Status?.StateChangeReason).toContain('no such bucket')
    expect(Status?.AthenaError).toMatchObject({ ErrorCategory: 1, ErrorType: 401, Retryable: true })
  })
})

describe('UNLOAD with partitions', () => {
  const spread = (shards: number) =>
    unloadOf(
      `SELECT price_id, CAST(floor(random() * ${shards}) AS integer) AS shard FROM rates`,
      destination,
      "compression = 'SNAPPY', partitioned_by = ARRAY['shard']",
    )

  it('spreads rows over partitions, and omits the partition column from the files', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 2000 })
    const addresses = await athena.unload(spread(8))
    expect(new Set(addresses.map((address) => /shard=(\d)\//.exec(address)?.[1])).size).toBe(8)
    const paths = addresses.map(athena.objects.pathOf)
    expect(await readColumn(paths, 'price_id')).toHaveLength(2000)
    const described = await runDuckdb(`SELECT name FROM parquet_schema(${sqlText(paths[0] ?? '')})`)
    expect(described).toEqual([['duckdb_schema'], ['price_id']])
  })

  it('adds to a destination that has files', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 10 })
    await athena.unload(spread(1))
    await athena.unload(spread(1))
    expect(await athena.objects.list('results', 'org/')).toHaveLength(2)
  })

  it('refuses more than 100 partitions', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 5000 })
    const { Status } = await athena.run(spread(200))
    expect(Status?.StateChangeReason).toContain('HIVE_TOO_MANY_OPEN_PARTITIONS')
  })
})
