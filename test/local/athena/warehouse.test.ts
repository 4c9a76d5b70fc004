import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GetQueryResultsCommand } from '@aws-sdk/client-athena'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { selectStatement } from '../../../core/search/statement.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { fileName, folderPath, sourceTables, sourceUnit } from '../../../schema/columns/warehouse-tables.ts'
import { openAthena, type TestAthena } from './test-athena.ts'
import { fixtureLoad, loadSource, type PartitionFixture, writeParquet, writePartition } from './warehouse-fixture.ts'

let athena: TestAthena

beforeEach(async () => {
  athena = await openAthena()
})

afterEach(() => athena.close())

/** The rows of a SELECT without their header. */
const select = async (sql: string) => {
  const { QueryExecutionId, Status } = await athena.run(sql)
  if (Status?.State !== 'SUCCEEDED') throw new Error(Status?.StateChangeReason ?? 'no reason')
  const { ResultSet } = await athena.client.send(new GetQueryResultsCommand({ QueryExecutionId }))
  return (ResultSet?.Rows ?? []).slice(1).map(({ Data = [] }) => Data.map(({ VarCharValue }) => VarCharValue))
}

const ratesFolder = (sourceId: string) =>
  sourceTables.slice(0, 1).map((table) => folderPath(table, sourceUnit({ loadId: fixtureLoad, sourceId })))[0] ?? ''

const breakSource = async (sourceId: string) => {
  const folder = join(athena.warehouseFolder, ratesFolder(sourceId))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, fileName(sourceUnit({ loadId: fixtureLoad, sourceId }), 9)), 'not a Parquet file')
}

describe('the warehouse', () => {
  it('shows no rows before the first load, but all columns', async () => {
    const request = { npis: [0], feeSchedules: [{ payer: 'a', plan: 'b' }] }
    expect(await select(selectStatement(request, { contents: ['c1'] }))).toEqual([])
    expect(await select('SELECT source_id, provider_group_key FROM provider_groups')).toEqual([])
    expect(await select('SELECT * FROM rates')).toEqual([])
  })

  it('joins the three tables of a source, and never two sources', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', npis: 2 })
    await loadSource(athena.warehouseFolder, { sourceId: 's2', payer: 'Other' })
    const rows = await select('SELECT source_id, payer, npi FROM rates ORDER BY source_id, npi')
    expect(rows).toEqual([
      ['s1', 'Acme Health', '1000000000'],
      ['s1', 'Acme Health', '1000000001'],
      ['s2', 'Other', '1000000000'],
    ])
  })

  it('keeps source ids as text', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: '007' })
    expect(await select("SELECT source_id FROM rates WHERE source_id = '007'")).toEqual([['007']])
    await expect(select('SELECT source_id FROM rates WHERE source_id = 7')).rejects.toThrow('TYPE_MISMATCH')
  })

  it('computes the ids of prices, and returns those that an earlier version stored in files without their columns', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 2 })
    await loadSource(athena.warehouseFolder, { sourceId: 's2' })
    const write = (partition: PartitionFixture) => writePartition(athena.warehouseFolder, partition)
    const row = { provider_group_keys: "['g1']", billing_code: "'99213'", price_ordinal: 'range + 7' }
    await write({ table: 'negotiated_rates', sourceId: 's2', values: row, from: 'range(2)' })
    const ids = { load_id: `'${fixtureLoad}'`, source_id: "'s2'" }
    await write({ table: 'fee_schedule_sources', sourceId: 's2', values: { ...ids, price_id_prefix: "'0af3'" } })
    const olderRow =
      "SELECT ['g1'] AS provider_group_keys, 'old-1' AS price_id, '99213' AS billing_code, 's3' AS source_id"
    await writeParquet(join(athena.warehouseFolder, ratesFolder('s3')), olderRow, 's3.load-1.00000.parquet')
    await write({ table: 'provider_groups', sourceId: 's3', values: { provider_group_key: "'g1'", npi: '1' } })
    await write({ table: 'fee_schedule_sources', sourceId: 's3', values: { ...ids, source_id: "'s3'" } })
    const idsOf = (condition: string) => select(`SELECT price_id FROM rates WHERE ${condition} ORDER BY price_id`)
    expect(await idsOf("source_id = 's3'")).toEqual([['old-1']])
    expect(await idsOf("source_id IN ('s2', 's3')")).toEqual([['0af3-7'], ['0af3-8'], ['old-1']])
    expect(await idsOf("source_id = 's1'")).toEqual([['p0'], ['p1']])
  })

  it('shows newly loaded rows to the next query', async () => {
    expect(await select('SELECT payer FROM rates')).toEqual([])
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    expect(await select('SELECT payer FROM rates')).toEqual([['Acme Health']])
    await loadSource(athena.warehouseFolder, { sourceId: 's2' })
    expect(await select('SELECT payer FROM rates')).toHaveLength(2)
  })

  it('skips files that are still being written', async () => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    const folder = join(athena.warehouseFolder, ratesFolder('s1'))
    await writeFile(join(folder, '.part-1.parquet'), 'half')
    await writeFile(join(folder, '_part-2.parquet'), 'half')
    await writeFile(join(folder, 'part-3.parquet.tmp'), 'half')
    expect(await select('SELECT payer FROM rates')).toHaveLength(1)
  })
})

describe('a statement that names its sources', () => {
  it.each([
    "content_id = 's1' AND load_id = 'load-1' AND source_id = 's1'",
    "source_id IN ('s1', 'absent')",
    "source_id = 's1'",
    "(source_id IN ('s1') AND npi = 1000000000) AND payer = 'Acme Health'",
    "source_id IN ('s1', 's2') AND source_id = 's1'",
  ])('reads only their partitions: %s', async (condition) => {
    await loadSource(athena.warehouseFolder, { sourceId: 's1' })
    await breakSource('s2')
    expect(await select(`SELECT payer FROM rates WHERE ${condition}`)).toEqual([['Acme Health']])
  })

  it.each(["npi = 1 OR source_id = 's1'", "payer = 'Acme Health'"])(
    'reads all partitions if rows of any may match: %s',
    async (condition) => {
      await loadSource(athena.warehouseFolder, { sourceId: 's1' })
      await breakSource('s2')
      const { Status } = await athena.run(`SELECT payer FROM rates WHERE ${condition}`)
      expect(Status?.AthenaError?.ErrorCategory).toBe(1)
    },
  )

  it('reads nothing outside of the warehouse', async () => {
    await loadSource(join(athena.warehouseFolder, ratesFolder('s1')), { sourceId: 's2' })
    const id = `s1/${ratesFolder('s2')}`
    expect(await select(`SELECT npi FROM rates WHERE source_id IN ('../s1', '${id}', '..')`)).toEqual([])
  })
})

describe("an operator's own relation", () => {
  it('consists of any folder of Parquet files', async () => {
    await writeParquet(join(athena.warehouseFolder, 'fee_schedules'), "SELECT 'Acme' AS payer, 'Gold' AS plan")
    expect(await select('SELECT payer, plan FROM fee_schedules')).toEqual([['Acme', 'Gold']])
    expect(await select('SELECT * FROM "fee_schedules"')).toEqual([['Acme', 'Gold']])
  })

  it('takes precedence over the view if it is called rates, and its columns are cast to those of a result', async () => {
    const folder = join(athena.warehouseFolder, 'rates')
    await writeParquet(
      folder,
      "SELECT 'Acme' AS payer, 12::INTEGER AS npi, 1.25::DOUBLE AS negotiated_rate",
      'a.parquet',
    )
    await writeParquet(folder, "SELECT 'Best' AS payer, 3::BIGINT AS npi, ['x'] AS service_code", 'b.parquet')
    const items = ratesColumns
      .filter(({ name }) => ['payer', 'npi', 'negotiated_rate', 'service_code'].includes(name))
      .map(({ name, type }) => `CAST(${name} AS ${type}) AS ${name}`)
    expect(await select(`SELECT ${items.join(', ')} FROM rates ORDER BY payer`)).toEqual([
      ['Acme', '12', '1.2500', undefined],
      ['Best', '3', undefined, '[x]'],
    ])
    await expect(select("SELECT npi FROM rates WHERE npi = '12'")).rejects.toThrow('TYPE_MISMATCH')
  })

  it('may have partitions, and the values in its paths are text', async () => {
    await writeParquet(join(athena.warehouseFolder, 'rates', 'year=2026', 'plan=Gold [PPO]'), 'SELECT 1 AS npi')
    expect(await select("SELECT year, plan, npi FROM rates WHERE year = '2026'")).toEqual([['2026', 'Gold [PPO]', '1']])
  })

  it('does not exist without files', async () => {
    await mkdir(join(athena.warehouseFolder, 'fee_schedules'), { recursive: true })
    await expect(select('SELECT payer FROM fee_schedules')).rejects.toThrow('TABLE_NOT_FOUND')
  })
})
