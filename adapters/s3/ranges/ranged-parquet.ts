import { zstdDecompressSync } from 'node:zlib'
import { ColumnReader } from '../../../parquet/column-reader.ts'
import { openParquet, type ParquetFile, type RowGroup } from '../../../parquet/parquet-file.ts'
import { ValueBudget } from '../../../parquet/value-budget.ts'
import type { ReadRange } from './bounded-reads.ts'

/** A Parquet file of the warehouse. */
export interface StoredFile {
  readonly key: string
  readonly bytes: number
  readonly read: ReadRange
}

/** The values of a row group by column. */
export type ColumnValues = ReadonlyMap<string, readonly unknown[]>

/** The loader compresses its tables with zstd. A page states its size, and cannot become larger. */
const decompressors = {
  ZSTD: (bytes: Uint8Array, expected: number) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, expected) }),
}

/** Opens a file of the warehouse by its footer. */
export const openStoredFile = ({ key, bytes, read }: StoredFile): Promise<ParquetFile> =>
  openParquet({
    byteLength: bytes,
    isRemote: false,
    slice: (start, end) => read(key, start, end),
    decompressors,
  })

/**
 * Returns false if no row of a row group has the value in the column, by the bounds that the file states. A column
 * without bounds is NULL in all rows.
 */
export function mayHave({ chunks }: RowGroup, column: string, value: string | bigint): boolean {
  const { least, greatest } = chunks.get(column)?.bounds ?? {}
  if (typeof value === 'string')
    return typeof least === 'string' && typeof greatest === 'string' && least <= value && value <= greatest
  return typeof least === 'bigint' && typeof greatest === 'bigint' && least <= value && value <= greatest
}

/** Reads all values of columns that are neighbours in the file, with one request. */
export async function readNeighbours(
  { key, read }: Omit<StoredFile, 'bytes'>,
  { chunks, rows }: RowGroup,
  names: readonly string[],
): Promise<ColumnValues> {
  const columns = names.map((name) => {
    const chunk = chunks.get(name)
    if (chunk === undefined) throw new TypeError(`${key} has no column ${name}`)
    return chunk
  })
  const start = Math.min(...columns.map((chunk) => chunk.start))
  const bytes = await read(key, start, Math.max(...columns.map((chunk) => chunk.end)))
  const source = { slice: async (from: number, to: number) => bytes.slice(from - start, to - start) }
  const values = new Map<string, readonly unknown[]>()
  for (const chunk of columns)
    values.set(chunk.name, await new ColumnReader({ ...chunk, source }).take(rows, new ValueBudget(rows)))
  return values
}
