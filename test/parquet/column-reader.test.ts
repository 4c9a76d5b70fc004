import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { beforeAll, describe, expect, it } from 'vitest'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { Decimal } from '../../parquet/decimal.ts'
import { openParquet } from '../../parquet/parquet-file.ts'
import { ValueBudget } from '../../parquet/value-budget.ts'
import { root } from '../templates/source-files.ts'
import { writeByDuckdb } from './write-by-duckdb.ts'

/** Returns a file that counts the bytes that are read. */
function countReads(bytes: ArrayBuffer, isRemote: boolean) {
  const usage = { bytes: 0 }
  const slice = async (start: number, end: number) => {
    usage.bytes += end - start
    return bytes.slice(start, end)
  }
  return { byteLength: bytes.byteLength, isRemote, slice, usage }
}

/** The first row group, with a reader of each column. */
async function openFirst(file: ReturnType<typeof countReads>) {
  const { rowGroups } = await openParquet(file)
  const [rowGroup] = rowGroups
  if (rowGroup === undefined) throw new TypeError('a file without rows')
  const readers = [...rowGroup.chunks].map(([name, chunk]) => ({ name, reader: new ColumnReader(chunk) }))
  return { rows: rowGroup.rows, readers }
}

/** Takes the next rows of all columns. */
async function takeRows({ readers }: Awaited<ReturnType<typeof openFirst>>, count: number) {
  const budget = new ValueBudget(10_000_000)
  const columns = await Promise.all(
    readers.map(async ({ name, reader }) => [name, await reader.take(count, budget)] as const),
  )
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, toPlain(values[row])])),
  )
}

/** A value as hyparquet reads it: the nearest double of a decimal. */
const toPlain = (value: unknown) => (value instanceof Decimal ? Number(value) : value)

const toArrayBuffer = ({ buffer, byteOffset, length }: Buffer): ArrayBuffer =>
  new Uint8Array(buffer, byteOffset, length).slice().buffer

const rowCount = 100_000

/** Pages of version 2: plain numbers, texts that repeat, and texts that do not. */
function writeWithHyparquet(): ArrayBuffer {
  const indexes = Array.from({ length: rowCount }, (_, index) => index)
  const scatter = (index: number) => Math.imul(index + 1, 2_654_435_761) >>> 0
  return parquetWriteBuffer({
    rowGroupSize: rowCount,
    pageSize: 65_536,
    columnData: [
      { name: 'npi', data: indexes.map((index) => BigInt(1_000_000_000 + scatter(index))), type: 'INT64' },
      { name: 'plan', data: indexes.map((index) => `Plan ${index % 7}`), type: 'STRING' },
      {
        name: 'price_id',
        data: indexes.map((index) => `price ${scatter(index)} of ${scatter(index + 7)}`),
        type: 'STRING',
      },
    ],
  })
}

/** One page a column and row group, as the local Athena writes them: NULLs, NULL lists and lists of many values. */
async function writeWithDuckDb(): Promise<ArrayBuffer> {
  const query = `
    SELECT 1000000000 + hash(i) % 1000000000 AS npi, (hash(i) % 99999 / 100)::DECIMAL(18, 4) AS negotiated_rate,
      'Plan ' || i % 7 AS plan, CASE WHEN hash(i) % 3 = 0 THEN 'Name ' || hash(i) % 5000 END AS name,
      DATE '2026-01-01' + (i % 400)::INTEGER AS expiration_date,
      CASE WHEN hash(i) % 5 <> 0 THEN list_transform(range((hash(i) % 30 + 1)::BIGINT), n -> (n + i % 50)::VARCHAR) END
        AS service_code,
      CASE WHEN i % 1000 = 999 THEN ['26', 'TC'] END AS billing_code_modifier
    FROM range(30000) t(i)`
  return (await writeByDuckdb(query, 'COMPRESSION snappy')).buffer
}

/** Several pages a column, written by a real Trino, which is what Athena runs on. */
const readTrinoFixture = async () =>
  toArrayBuffer(readFileSync(join(root, 'test/fixtures/trino-parquet/many-pages-trino-476.parquet')))

describe.each([
  ['hyparquet', writeWithHyparquet],
  ['DuckDB', writeWithDuckDb],
  ['Trino', readTrinoFixture],
])('the rows of a file that %s wrote', (_, write) => {
  let bytes: ArrayBuffer
  let all: readonly Record<string, unknown>[]
  let last: number
  beforeAll(async () => {
    bytes = await write()
    const metadata = parquetMetadata(bytes)
    last = Number(metadata.row_groups[0]?.num_rows)
    const rows: Record<string, unknown>[] = await parquetReadObjects({ file: bytes, metadata, rowEnd: last })
    all = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          // hyparquet reads 2.1100 as 2.1100000000000003, and a list that is NULL as undefined.
          name === 'negotiated_rate' ? Number(Number(value).toFixed(4)) : (value ?? null),
        ]),
      ),
    )
  })

  it.each([1, 2, 77, 2000, 10_000])('equal the rows of the whole file, of the first %i rows', async (count) => {
    expect(await takeRows(await openFirst(countReads(bytes, true)), count)).toEqual(all.slice(0, count))
  })

  it.each([true, false])(
    'equal those of the whole file, read in parts of any size (over a network: %s)',
    async (isRemote) => {
      const group = await openFirst(countReads(bytes, isRemote))
      const rows: unknown[] = []
      for (let size = 1; rows.length < last; size *= 3)
        rows.push(...(await takeRows(group, Math.min(size, last - rows.length))))
      expect(rows).toEqual(all)
    },
  )
})

describe('the first rows of a large file', () => {
  it('need little of it over a network', async () => {
    const file = countReads(writeWithHyparquet(), true)
    const group = await openFirst(file)
    file.usage.bytes = 0
    await takeRows(group, 2000)
    expect(file.usage.bytes).toBeLessThan(file.byteLength / 8)
  })
})

describe('all rows of a local file', () => {
  it('need each byte once, each page in at most two reads', async () => {
    const file = countReads(await readTrinoFixture(), false)
    const group = await openFirst(file)
    file.usage.bytes = 0
    await takeRows(group, group.rows)
    expect(file.usage.bytes).toBeLessThan(file.byteLength * 2)
  })
})

describe('decimals', () => {
  it.each(['INT64', 'FIXED_LEN_BYTE_ARRAY'] as const)('keep all digits, stored as %s', async (type) => {
    const amounts = [0n, 1n, -1n, 21_100n, 900_719_925_474_0993n, 999_999_999_999_999_999n, -999_999_999_999_999_999n]
    const element = { name: 'negotiated_rate', converted_type: 'DECIMAL', scale: 4, precision: 18 } as const
    const bytes = parquetWriteBuffer({
      columnData: [{ name: 'negotiated_rate', data: amounts }],
      schema: [
        { name: 'root', num_children: 1 },
        { ...element, type, ...(type === 'INT64' ? {} : { type_length: 8 }), repetition_type: 'REQUIRED' },
      ],
    })
    const { readers } = await openFirst(countReads(bytes, false))
    const values = await readers[0]?.reader.take(amounts.length, new ValueBudget(100))
    expect(values?.map(String)).toEqual([
      '0',
      '0.0001',
      '-0.0001',
      '2.11',
      '900719925474.0993',
      '99999999999999.9999',
      '-99999999999999.9999',
    ])
  })
})

describe('a text', () => {
  it('keeps U+FEFF at its start, plain and in a dictionary, as the rows of a file have it', async () => {
    const texts = ['\ufeff0450', '0450', '\ufeff', '']
    const data = Array.from({ length: 1000 }, (_, index) => texts[index % texts.length])
    for (const encoding of ['PLAIN', 'RLE_DICTIONARY'] as const) {
      const bytes = parquetWriteBuffer({ columnData: [{ name: 'code', data, type: 'STRING', encoding }] })
      const rows = await takeRows(await openFirst(countReads(bytes, false)), data.length)
      expect(rows.map(({ code }) => code)).toEqual(data)
    }
  })
})
