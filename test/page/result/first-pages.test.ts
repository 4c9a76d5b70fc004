import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { narrowToFirstPages } from '../../../page/result/first-pages.ts'

const rowCount = 200_000

/** A row group with columns of many pages: plain numbers, texts that repeat, and texts that do not. */
function writeFile(): ArrayBuffer {
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

/** A file that counts what is read of it. */
function countReads(bytes: ArrayBuffer) {
  const usage = { bytes: 0, requests: 0 }
  const slice = async (start: number, end = bytes.byteLength) => {
    usage.requests += 1
    usage.bytes += end - start
    return bytes.slice(start, end)
  }
  return { byteLength: bytes.byteLength, slice, usage }
}

describe('the first rows of a large row group', () => {
  const bytes = writeFile()
  const columns = ['npi', 'plan', 'price_id']

  it.each([1, 200, 2000, 50_000, rowCount])('are the same without reading the rest: %i rows', async (rows) => {
    const whole = countReads(bytes)
    const metadata = await parquetMetadataAsync(whole)
    const expected = await parquetReadObjects({ file: whole, metadata, columns, rowEnd: rows })
    const file = countReads(bytes)
    const narrowed = await narrowToFirstPages(file, metadata, columns, rows)
    const found = await parquetReadObjects({ file, metadata: narrowed, columns, rowEnd: rows })
    expect(found).toEqual(expected)
    if (rows <= 2000) expect(file.usage.bytes).toBeLessThan(bytes.byteLength / 10)
  })

  it('read lists whole, because their pages do not show how many rows they have', async () => {
    const metadata = await parquetMetadataAsync(countReads(bytes))
    const [group] = metadata.row_groups
    const [chunk] = group?.columns ?? []
    if (group === undefined || chunk?.meta_data === undefined) throw new TypeError('a file without columns')
    const list = { ...chunk, meta_data: { ...chunk.meta_data, path_in_schema: ['codes', 'list', 'element'] } }
    const file = countReads(bytes)
    const narrowed = await narrowToFirstPages(
      file,
      { ...metadata, row_groups: [{ ...group, columns: [list] }] },
      ['codes'],
      10,
    )
    expect(narrowed.row_groups[0]?.columns).toEqual([list])
    expect(file.usage.requests).toBe(0)
  })

  it('do not read columns that are not requested', async () => {
    const metadata = await parquetMetadataAsync(countReads(bytes))
    const file = countReads(bytes)
    const narrowed = await narrowToFirstPages(file, metadata, ['npi'], 10)
    expect(await parquetReadObjects({ file, metadata: narrowed, columns: ['npi'], rowEnd: 10 })).toHaveLength(10)
    expect(file.usage.bytes).toBeLessThan(200_000)
  })
})
