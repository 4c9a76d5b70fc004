import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { parseFooter } from '../../../adapters/s3/parquet-footer.ts'
import { writeByDuckdb } from '../../parquet/write-by-duckdb.ts'
import { bufferOf, readTrinoFile } from './trino-files.ts'

/** Reads the distinct values of a column over all row groups, and counts the bytes that it reads. */
async function readColumn(file: Uint8Array, column: string) {
  let bytesRead = 0
  const { chunks } = parseFooter(file, async (start, end) => {
    bytesRead += end - start
    return file.slice(start, end)
  })
  const columnChunks = chunks.filter((chunk) => chunk.column === column)
  const sets = await Promise.all(columnChunks.map((chunk) => chunk.read()))
  return {
    chunks: columnChunks,
    values: sets.some((set) => set === undefined) ? undefined : [...new Set(sets.flatMap((set) => [...(set ?? [])]))],
    bytesRead,
  }
}

async function distinctOf(file: Uint8Array, column: string): Promise<readonly string[]> {
  const rows = await parquetReadObjects({ file: bufferOf(file), columns: [column] })
  const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null)
  // hyparquet reads 2.1100 as 2.1100000000000003.
  const textOf = (value: unknown) => String(typeof value === 'number' ? Number(value.toFixed(4)) : value)
  return [...new Set(values.map(textOf))].sort()
}

describe('reading the distinct values of a column of a shard', () => {
  it('returns the values of all pages that Trino wrote, plain or by dictionary', async () => {
    const file = readFileSync(join(import.meta.dirname, '../../fixtures/trino-parquet/many-pages-trino-476.parquet'))
    for (const column of new Set(parseFooter(file, async () => file).chunks.map((chunk) => chunk.column)))
      expect((await readColumn(file, column)).values?.sort(), column).toEqual(await distinctOf(file, column))
  })

  it.each([
    [
      'a few values in several row groups',
      "SELECT 1000000000 + i % 3 AS npi, 'C' || i % 7 AS billing_code FROM range(300000) t(i)",
    ],
    ['only different values', "SELECT 1000000000 + i AS npi, 'C' || i AS billing_code FROM range(30000) t(i)"],
    [
      'nulls',
      'SELECT CASE WHEN i % 2 = 0 THEN 1000000000 + i END AS npi, NULL::VARCHAR AS billing_code FROM range(1000) t(i)',
    ],
  ])('returns the values that DuckDB wrote: %s', async (_, query) => {
    for (const options of [[], ['COMPRESSION uncompressed'], ['ROW_GROUP_SIZE 5000']]) {
      const file = await writeByDuckdb(query, ...options)
      for (const column of ['npi', 'billing_code'])
        expect((await readColumn(file, column)).values?.sort()).toEqual(await distinctOf(file, column))
    }
  })

  it('returns the values of a file that Trino wrote', async () => {
    expect((await readColumn(readTrinoFile(), 'billing_code')).values).toEqual(['99213'])
  })

  it('returns nothing for a compression that cannot be read', async () => {
    const file = await writeByDuckdb("SELECT 'C' || i % 7 AS billing_code FROM range(9) t(i)", 'COMPRESSION zstd')
    expect((await readColumn(file, 'billing_code')).values).toBeUndefined()
  })

  it('returns nothing for an encoding in which no engine of the service writes', async () => {
    const file = await writeByDuckdb('SELECT i AS npi FROM range(9) t(i)', 'PARQUET_VERSION v2')
    expect((await readColumn(file, 'npi')).values).toBeUndefined()
  })

  it('returns nothing for nested columns', async () => {
    const file = await writeByDuckdb('SELECT [1, 2] AS service_code, 1 AS npi')
    expect(parseFooter(file, async () => file).chunks.map(({ column }) => column)).toEqual(['npi'])
  })

  it('reads no more bytes than it states', async () => {
    const columnData = [{ name: 'npi', data: Array.from({ length: 50_000 }, (_, i) => `${i % 5}`) }]
    for (const file of [new Uint8Array(parquetWriteBuffer({ columnData })), readTrinoFile()]) {
      const { chunks, bytesRead } = await readColumn(file, 'npi')
      expect(bytesRead).toBeLessThanOrEqual(chunks.reduce((sum, { bytes }) => sum + bytes, 0) + 100)
    }
  })
})
