import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, describe, expect, it } from 'vitest'
import { makeEmptyShard } from '../../../adapters/s3/empty-shard.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { shardSchema } from '../../../schema/columns/shard-schema.ts'
import { summaryColumns } from '../../../schema/summary/summary-columns.ts'
import { runDuckdb, sqlText } from '../../local/athena/warehouse-fixture.ts'
import { bufferOf, describeFooter, readTrinoFile } from './trino-files.ts'

const shard = makeEmptyShard(ratesColumns)
const folder = mkdtempSync(join(tmpdir(), 'empty-shard-'))
const file = join(folder, 'no-rows.parquet')
writeFileSync(file, shard)
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns the footer's schema without the root, whose name differs by writer. */
function physicalSchema(bytes: Uint8Array) {
  const [root, ...elements] = parquetMetadata(bufferOf(bytes)).schema
  const columns = elements.map(
    ({ name, type, type_length, converted_type, logical_type, repetition_type, num_children, precision, scale }) => ({
      name,
      type,
      type_length,
      converted_type,
      logical_type,
      repetition_type,
      num_children,
      precision,
      scale,
    }),
  )
  return { columns, children: root?.num_children }
}

describe('the shard of an empty result', () => {
  it("equals Trino's physical schema, element by element", () => {
    const trino = physicalSchema(readTrinoFile())
    const own = physicalSchema(shard)
    expect(own.children).toBe(trino.children)
    expect(own.columns.map(({ name }) => name)).toEqual(trino.columns.map(({ name }) => name))
    for (const [index, element] of trino.columns.entries()) {
      // Trino writes a converted and a logical type for integers. The service writes only the converted one.
      const isInteger = element.logical_type?.type === 'INTEGER'
      expect(own.columns[index]).toEqual(isInteger ? { ...element, logical_type: undefined } : element)
    }
  })

  it('passes the footer check of every shard', () => {
    expect(describeFooter(shard)).toEqual({ rows: 0, schema: shardSchema(ratesColumns) })
  })

  it('reads as no rows in hyparquet', async () => {
    expect(await parquetReadObjects({ file: bufferOf(shard) })).toEqual([])
  })

  it('reads as no rows with the columns of every other shard in DuckDB', async () => {
    const table = `read_parquet(${sqlText(file)})`
    expect(await runDuckdb(`SELECT count(*) FROM ${table}`)).toEqual([['0']])
    const described = await runDuckdb(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${table})`)
    const duckdbType = (type: string) => (type === 'varchar ARRAY' ? 'VARCHAR[]' : type.toUpperCase())
    expect(described).toEqual(ratesColumns.map(({ name, type }) => [name, duckdbType(type)]))
  })

  it("reads in one query with Trino's file", async () => {
    const trino = join(import.meta.dirname, '../../fixtures/trino-parquet/one-row-trino-476.parquet')
    const table = `read_parquet([${sqlText(file)}, ${sqlText(trino)}])`
    expect(await runDuckdb(`SELECT count(*), count(DISTINCT price_id) FROM ${table}`)).toEqual([['1', '1']])
  })

  it('consists of the same bytes each time', () => {
    expect(Buffer.compare(makeEmptyShard(ratesColumns), shard)).toBe(0)
  })

  it('takes the columns of summaries if the search is for one', () => {
    const empty = makeEmptyShard(summaryColumns)
    expect(describeFooter(empty)).toEqual({ rows: 0, schema: shardSchema(summaryColumns) })
  })
})
