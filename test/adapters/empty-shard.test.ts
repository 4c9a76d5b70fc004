import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, describe, expect, it } from 'vitest'
import { makeEmptyShard } from '../../adapters/empty-shard.ts'
import { parseFooter } from '../../adapters/parquet-footer.ts'
import { ratesColumns } from '../../core/rates.ts'
import { shardSchema } from '../../core/shard-schema.ts'
import { runDuckdb, sqlText } from '../local/athena/warehouse-fixture.ts'
import { bufferOf, readTrinoFile } from './trino-files.ts'

const shard = makeEmptyShard()
const folder = mkdtempSync(join(tmpdir(), 'empty-shard-'))
const file = join(folder, 'no-rows.parquet')
writeFileSync(file, shard)
afterAll(() => rmSync(folder, { recursive: true }))

/** The schema as the footer has it, but for the root, whose name each writer chooses. */
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

describe('the shard of a search without rows', () => {
  it("has Trino's physical schema, element by element", () => {
    const trino = physicalSchema(readTrinoFile(476))
    const own = physicalSchema(shard)
    expect(own.children).toBe(trino.children)
    expect(own.columns.map(({ name }) => name)).toEqual(trino.columns.map(({ name }) => name))
    for (const [index, element] of trino.columns.entries()) {
      // Of integers the converted type alone says what Trino says twice.
      const isInteger = element.logical_type?.type === 'INTEGER'
      expect(own.columns[index]).toEqual(isInteger ? { ...element, logical_type: undefined } : element)
    }
  })

  it('is what the footer check asks of every shard', () => {
    expect(parseFooter(shard)).toEqual({ rows: 0, schema: shardSchema })
  })

  it('has no rows for hyparquet', async () => {
    expect(await parquetReadObjects({ file: bufferOf(shard) })).toEqual([])
  })

  it('has no rows for DuckDB, and the columns of every other shard', async () => {
    const read = `read_parquet(${sqlText(file)})`
    expect(await runDuckdb(`SELECT count(*) FROM ${read}`)).toEqual([['0']])
    const described = await runDuckdb(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${read})`)
    const duckdbType = (type: string) => (type === 'varchar ARRAY' ? 'VARCHAR[]' : type.toUpperCase())
    expect(described).toEqual(ratesColumns.map(({ name, type }) => [name, duckdbType(type)]))
  })

  it("can be read together with Trino's files", async () => {
    const trino = join(import.meta.dirname, '../fixtures/trino-parquet/*.parquet')
    const read = `read_parquet([${sqlText(file)}, ${sqlText(trino)}])`
    expect(await runDuckdb(`SELECT count(*), count(DISTINCT price_id) FROM ${read}`)).toEqual([['2', '1']])
  })

  it('is the same bytes each time', () => {
    expect(Buffer.compare(makeEmptyShard(), shard)).toBe(0)
  })
})
