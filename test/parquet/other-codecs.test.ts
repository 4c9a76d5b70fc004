import { zstdDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { type Decompressors, UnknownCodec } from '../../parquet/page.ts'
import { openParquet, type RowGroup } from '../../parquet/parquet-file.ts'
import { ValueBudget } from '../../parquet/value-budget.ts'
import { writeByDuckdb } from './write-by-duckdb.ts'

const rowCount = 30_000

let bytes: Uint8Array<ArrayBuffer>

beforeAll(async () => {
  const items = ["'name ' || i AS name", 'CAST(1000 + i AS bigint) AS npi', 'CAST(NULL AS varchar) AS city']
  const query = `SELECT ${items.join(', ')} FROM range(${rowCount}) AS t(i)`
  bytes = await writeByDuckdb(query, 'COMPRESSION zstd', 'ROW_GROUP_SIZE 20480')
})

const zstd: Decompressors = { ZSTD: (page) => zstdDecompressSync(page) }

async function openRowGroups(isRemote: boolean, decompressors?: Decompressors): Promise<readonly RowGroup[]> {
  const slice = async (start: number, end: number) => bytes.buffer.slice(start, end)
  const file = { byteLength: bytes.length, isRemote, slice, ...(decompressors && { decompressors }) }
  return (await openParquet(file)).rowGroups
}

async function readColumn({ chunks, rows }: RowGroup, name: string): Promise<readonly unknown[]> {
  const chunk = chunks.get(name)
  if (chunk === undefined) throw new TypeError(`no column ${name}`)
  return new ColumnReader(chunk).take(rows, new ValueBudget(rows))
}

describe('pages of another codec', () => {
  it.each([true, false])('become values by a function of the caller (over a network: %s)', async (isRemote) => {
    const names: unknown[] = []
    for (const rowGroup of await openRowGroups(isRemote, zstd)) names.push(...(await readColumn(rowGroup, 'name')))
    expect(names).toEqual(Array.from({ length: rowCount }, (_, index) => `name ${index}`))
  })

  it('fail without such a function, or if it returns another length', async () => {
    const [rowGroup] = await openRowGroups(false)
    await expect(rowGroup && readColumn(rowGroup, 'name')).rejects.toThrow(UnknownCodec)
    const [cut] = await openRowGroups(false, { ZSTD: (page) => zstdDecompressSync(page).subarray(1) })
    await expect(cut && readColumn(cut, 'npi')).rejects.toThrow(RangeError)
  })
})

describe('the bounds of a column', () => {
  it('contain all values of its row group, and are absent if all are NULL', async () => {
    const [first, second] = await openRowGroups(false)
    const boundsOf = (name: string) => [first, second].map((rowGroup) => rowGroup?.chunks.get(name)?.bounds)
    expect(boundsOf('npi')).toEqual([
      { least: 1000n, greatest: 21_479n },
      { least: 21_480n, greatest: 30_999n },
    ])
    expect(boundsOf('name')[1]).toEqual({ least: 'name 20480', greatest: 'name 29999' })
    expect(boundsOf('city')).toEqual([undefined, undefined])
  })
})
