import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { beforeAll, describe, expect, it } from 'vitest'
import { readColumnStart } from '../../../page/result/column-start.ts'
import { root } from '../../templates/source-files.ts'

/** A file that counts what is read of it. */
function countReads(bytes: ArrayBuffer) {
  const usage = { bytes: 0 }
  const slice = async (start: number, end = bytes.byteLength) => {
    usage.bytes += end - start
    return bytes.slice(start, end)
  }
  return { byteLength: bytes.byteLength, slice, usage }
}

/** The first rows of each column, and how many bytes of the columns were read. */
async function readStart(bytes: ArrayBuffer, rows: number) {
  const metadata = await parquetMetadataAsync(countReads(bytes))
  const file = countReads(bytes)
  const tree = parquetSchema(metadata)
  const [group] = metadata.row_groups
  const columns = await Promise.all(
    (group?.columns ?? []).map(async ({ meta_data: meta }) => {
      if (meta === undefined) throw new TypeError('a column without metadata')
      return [meta.path_in_schema[0] ?? '', Array.from(await readColumnStart(file, meta, tree, rows))] as const
    }),
  )
  const found = Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
  )
  return { found, bytes: file.usage.bytes }
}

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

/** One page a column and row group, as the local Athena writes them: NULLs, lists that are NULL and lists of many values. */
async function writeWithDuckDb(): Promise<ArrayBuffer> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'column-start-'))
  const path = join(folder.path, 'rates.parquet')
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  await connection.run(`COPY (
    SELECT 1000000000 + hash(i) % 1000000000 AS npi, (hash(i) % 99999 / 100)::DECIMAL(18, 4) AS negotiated_rate,
      'Plan ' || i % 7 AS plan, CASE WHEN hash(i) % 3 = 0 THEN 'Name ' || hash(i) % 5000 END AS name,
      DATE '2026-01-01' + (i % 400)::INTEGER AS expiration_date,
      CASE WHEN hash(i) % 5 <> 0 THEN list_transform(range((hash(i) % 30 + 1)::BIGINT), n -> (n + i % 50)::VARCHAR) END
        AS service_code,
      CASE WHEN i % 1000 = 999 THEN ['26', 'TC'] END AS billing_code_modifier
    FROM range(30000) t(i)
  ) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`)
  connection.closeSync()
  instance.closeSync()
  return toArrayBuffer(readFileSync(path))
}

/** Several pages a column, written by a real Trino, which is what Athena runs on. */
const readTrinoFixture = async () =>
  toArrayBuffer(readFileSync(join(root, 'test/fixtures/trino-parquet/many-pages-trino-476.parquet')))

describe.each([
  ['hyparquet', writeWithHyparquet],
  ['DuckDB', writeWithDuckDb],
  ['Trino', readTrinoFixture],
])('the first rows of a file that %s wrote', (_, write) => {
  let bytes: ArrayBuffer
  let all: readonly Record<string, unknown>[]
  let most: number
  beforeAll(async () => {
    bytes = await write()
    const metadata = await parquetMetadataAsync(countReads(bytes))
    most = Number(metadata.row_groups[0]?.num_rows)
    const rows: Record<string, unknown>[] = await parquetReadObjects({
      file: countReads(bytes),
      metadata,
      rowEnd: most,
    })
    // hyparquet reads 2.1100 as 2.1100000000000003.
    all = rows.map((row) => ({
      ...row,
      ...('negotiated_rate' in row && { negotiated_rate: Number(Number(row['negotiated_rate']).toFixed(4)) }),
    }))
  })

  it.each([1, 2, 77, 2000, 10_000])('are those of the whole file: %i', async (rows) => {
    const { found } = await readStart(bytes, rows)
    expect(found).toEqual(all.slice(0, rows))
  })

  it('are all rows of the row group if as many are wanted', async () => {
    const { found } = await readStart(bytes, most)
    expect(found).toEqual(all)
  })
})

describe('the first rows of a large file', () => {
  it('need little of it', async () => {
    const bytes = writeWithHyparquet()
    const { bytes: read } = await readStart(bytes, 2000)
    expect(read).toBeLessThan(bytes.byteLength / 8)
  })
})
