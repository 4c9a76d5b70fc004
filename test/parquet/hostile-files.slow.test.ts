import { isDeepStrictEqual } from 'node:util'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { beforeAll, describe, expect, it } from 'vitest'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { openParquet } from '../../parquet/parquet-file.ts'
import { ValueBudget } from '../../parquet/value-budget.ts'
import { readTrinoFile } from '../adapters/s3/trino-files.ts'
import { addFooter, positionPages, takeApart } from './taken-apart-file.ts'
import { listLists, listNumbers } from './thrift.ts'
import { writeByDuckdb } from './write-by-duckdb.ts'

/** Reads all columns of all row groups, and holds no more values than `budget`. */
async function readAll(bytes: Uint8Array, isRemote: boolean, budget: ValueBudget) {
  const slice = async (start: number, end: number) => new Uint8Array(bytes.slice(start, end)).buffer
  const { columns, rowGroups } = await openParquet({ byteLength: bytes.length, isRemote, slice })
  const values: (readonly unknown[])[] = []
  for (const { rows, chunks } of rowGroups)
    for (const chunk of chunks.values()) values.push(await new ColumnReader(chunk).take(rows, budget))
  return { columns, values }
}

const writeWithDuckDb = (compression: string) =>
  writeByDuckdb(
    `SELECT 'Plan ' || i // 300 AS plan, i AS npi, (i / 100)::DECIMAL(18, 4) AS negotiated_rate,
      'price ' || i AS price_id,
      CASE WHEN i % 3 <> 0 THEN ['26', 'TC', NULL] WHEN i % 2 = 0 THEN [] END AS codes
    FROM range(2100) t(i)`,
    'ROW_GROUP_SIZE 2048',
    compression,
  )

/** Pages of version 2. */
function writeWithHyparquet(): Uint8Array {
  const indexes = Array.from({ length: 500 }, (_, index) => index)
  const columnData = [
    { name: 'npi', data: indexes.map((index) => (index % 5 === 0 ? null : BigInt(index))), type: 'INT64' as const },
    { name: 'plan', data: indexes.map((index) => `Plan ${index % 7}`), type: 'STRING' as const },
  ]
  return new Uint8Array(parquetWriteBuffer({ columnData, pageSize: 1024 }))
}

/** Other numbers than `value`: off by one, none, negative, and as large as the format allows. */
const othersOf = (value: bigint) =>
  [...new Set([0n, 1n, value - 1n, value + 1n, value * 2n, -1n, 2n ** 31n - 1n, 2n ** 53n, -(2n ** 62n)])].filter(
    (other) => other !== value,
  )

/** In the schema, only numbers of children and of bytes are sizes; others say what values mean. */
const isSize = (path: string) => !path.startsWith('/2[') || /\/[25]$/.test(path)

describe.each([
  ['DuckDB, with Snappy', () => writeWithDuckDb('COMPRESSION snappy')],
  ['DuckDB, without compression', () => writeWithDuckDb('COMPRESSION uncompressed')],
  ['hyparquet-writer', async () => writeWithHyparquet()],
  ['Trino', async () => readTrinoFile()],
])('a file that %s wrote', (_, write) => {
  let bytes: Uint8Array
  let expected: Awaited<ReturnType<typeof readAll>>
  beforeAll(async () => {
    bytes = await write()
    expected = await readAll(bytes, false, new ValueBudget(1_000_000))
  })

  /** Says so if reading gives neither the rows nor an error about the file. */
  async function findFault(changed: Uint8Array, change: string): Promise<readonly string[]> {
    const isRemote = change.length % 2 === 0
    try {
      const rows = await readAll(changed, isRemote, new ValueBudget(40_000))
      return isDeepStrictEqual(rows, expected) ? [] : [`${change} gives other rows`]
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return error.message.includes('can be held') ? [`${change}: ${error.message}`] : []
    }
  }

  it('stays the same when it is taken apart and put together', async () => {
    const file = takeApart(bytes)
    expect(await readAll(addFooter(positionPages(file), file.footer), false, new ValueBudget(1_000_000))).toEqual(
      expected,
    )
  })

  it('gives its rows or an error, and no more values, whatever number of a page header is changed', async () => {
    const file = takeApart(bytes)
    const faults: string[] = []
    for (const [index, { pages }] of file.chunks.entries())
      for (const { header } of pages)
        for (const { path, node } of listNumbers(header)) {
          const { value } = node
          for (const other of othersOf(value)) {
            node.value = other
            const changed = addFooter(positionPages(file), file.footer)
            faults.push(...(await findFault(changed, `column ${index}, ${path}: ${value} to ${other}`)))
          }
          node.value = value
        }
    expect(faults).toEqual([])
  })

  it('gives its rows or an error, whatever size or count of the footer is changed, and no more values', async () => {
    const file = takeApart(bytes)
    const pages = positionPages(file)
    const faults: string[] = []
    for (const { path, node } of listNumbers(file.footer).filter((number) => isSize(number.path))) {
      const { value } = node
      for (const other of othersOf(value)) {
        node.value = other
        faults.push(...(await findFault(addFooter(pages, file.footer), `${path}: ${value} to ${other}`)))
      }
      node.value = value
    }
    for (const { items } of listLists(file.footer)) {
      const last = items.pop()
      if (last === undefined) continue
      faults.push(...(await findFault(addFooter(pages, file.footer), 'a list without its last item')))
      items.push(last, last)
      faults.push(...(await findFault(addFooter(pages, file.footer), 'a list with its last item twice')))
      items.pop()
    }
    expect(faults).toEqual([])
  })
})
