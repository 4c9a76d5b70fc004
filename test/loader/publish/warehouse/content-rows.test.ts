import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Source } from '../../../../core/catalogue/content.ts'
import type { ContentName } from '../../../../core/switching/ports.ts'
import { writeContentRows } from '../../../../loader/publish/warehouse/content-rows.ts'
import { maxShownPlanIds } from '../../../../schema/columns/rates.ts'
import { contentTable } from '../../../../schema/columns/warehouse-tables.ts'

let folder = ''
const duckdb = await DuckDBInstance.create(':memory:')
const connection = await duckdb.connect()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contents-'))
})
afterAll(async () => {
  duckdb.closeSync()
  await rm(folder, { recursive: true })
})

const planNamed = (plan: string, planIds: readonly string[] = []): ContentName => ({ payer: 'Blue', plan, planIds })

function sourceNamed(sourceId: string, fields: Partial<Source> = {}): Source {
  const counts = { bytes: 1, prices: 1, skipped: 0, rates: 1, codes: 1, npis: 1 }
  return {
    ...{
      loadId: 'load1',
      sourceId,
      identity: sourceId,
      name: `${sourceId}.json`,
      contentHash: '0123456789abcdef'.repeat(4),
    },
    ...{
      loaderVersion: '1',
      references: [],
      reportingEntityName: 'Blue Inc.',
      names: {},
      partial: false,
      findings: {},
    },
    ...counts,
    ...fields,
  }
}

/** Writes a content, and reads its rows in the order of the file. */
async function readBack(names: readonly ContentName[], sources: readonly Source[], columns = '*') {
  const path = join(folder, `${crypto.randomUUID()}.parquet`)
  await writeContentRows(path, 'c1', names, sources)
  const reader = await connection.runAndReadAll(
    `SELECT ${columns} FROM read_parquet('${path}', file_row_number = true) ORDER BY file_row_number`,
  )
  return reader.getRowObjectsJson()
}

it('writes the columns of the table from a name and a source', async () => {
  const source = sourceNamed('a', { lastUpdatedOn: '2026-11-01' })
  const [row, ...others] = await readBack([planNamed('Gold', ['ein|222222222', 'hios|12345'])], [source])
  expect(others).toEqual([])
  expect(row).toEqual({
    payer: 'Blue',
    plan: 'Gold',
    plan_ids: ['ein|222222222', 'hios|12345'],
    plan_id_count: 2,
    reporting_entity_name: 'Blue Inc.',
    last_updated_on: '2026-11-01',
    source_file: 'a.json',
    load_id: 'load1',
    source_id: 'a',
    price_id_prefix: '0123456789abcdef',
    content_id: 'c1',
    source_bucket: '2348',
    file_row_number: '0',
  })
  expect(Object.keys(row ?? {}).slice(0, -1)).toEqual(contentTable.columns.map(({ name }) => name))
})

it('writes NULL for missing plan ids and a missing date', async () => {
  const rows = await readBack([planNamed('Gold')], [sourceNamed('a')], 'plan_ids, plan_id_count, last_updated_on')
  expect(rows).toEqual([{ plan_ids: null, plan_id_count: 0, last_updated_on: null }])
})

it('writes only the number of plan ids if there are too many to list', async () => {
  const planIds = Array.from({ length: maxShownPlanIds + 1 }, (_, index) => `ein|${100_000_000 + index}`)
  const rows = await readBack([planNamed('Gold', planIds)], [sourceNamed('a')], 'plan_ids, plan_id_count')
  expect(rows).toEqual([{ plan_ids: null, plan_id_count: maxShownPlanIds + 1 }])
})

it('pairs every name with every source, sorted by the bytes of the names', async () => {
  // By their UTF-16 code units, the first of these would come before the second.
  const names = ['\u{1F3E5}', '\uFF21', 'Silver', 'Gold'].map((plan) => planNamed(plan))
  const rows = await readBack(names, [sourceNamed('a'), sourceNamed('b')], 'plan, source_id')
  const sorted = ['Gold', 'Silver', '\uFF21', '\u{1F3E5}']
  expect(rows).toEqual(sorted.flatMap((plan) => ['a', 'b'].map((source_id) => ({ plan, source_id }))))
})

it('writes all rows if they fill many row groups', async () => {
  const names = Array.from({ length: 300 }, (_, index) => planNamed(`Plan ${index}`, [`ein|${100_000_000 + index}`]))
  const sources = Array.from({ length: 100 }, (_, index) => sourceNamed(`s${index}`))
  const [counts] = await readBack(
    names,
    sources,
    `count(*) OVER () AS rows, count(DISTINCT plan || source_id) OVER () AS pairs,
      count(*) FILTER (plan_ids[1] = 'ein|' || (100000000 + replace(plan, 'Plan ', '')::integer)) OVER () AS own_ids`,
  )
  expect(counts).toEqual({ rows: '30000', pairs: '30000', own_ids: '30000' })
})
