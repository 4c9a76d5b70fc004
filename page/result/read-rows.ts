import type { FileMetaData } from 'hyparquet'
import { parquetMetadataAsync, parquetSchema } from 'hyparquet'
import { readColumnStart } from './column-start.ts'
import type { ShardFile } from './shard-file.ts'

export type Row = Readonly<Record<string, unknown>>

/** The first rows of a result. */
export interface FirstRows {
  readonly rows: readonly Row[]
  /** All columns of the result. */
  readonly columns: readonly string[]
  /** Whether these are all rows of the result. */
  readonly isAll: boolean
}

/** Maximum number of rows to read; the first page of a column usually has more. */
export const maxRows = 2000

/** Maximum number of files to read for enough rows. */
const maxFiles = 5

/** Bytes to read at the end of a file for its footer. */
const footerBytes = 65_536

/**
 * Reads the first rows of a result straight from its files, of the columns that are asked for.
 *
 * @throws UrlExpired, TypeError if the storage does not answer, or what getting new URLs throws
 */
export async function readFirstRows(files: readonly ShardFile[], columns: readonly string[]): Promise<FirstRows> {
  const found: Row[] = []
  let isAll = true
  let all: readonly string[] = []
  for (const [index, file] of files.entries()) {
    if (found.length >= maxRows || index >= maxFiles) {
      isAll = false
      break
    }
    const metadata = await parquetMetadataAsync(await file.open(), { initialFetchSize: footerBytes })
    all = parquetSchema(metadata).children.map(({ element }) => element.name)
    const rows = await readRowsOf(file, metadata, columns, maxRows - found.length)
    found.push(...rows)
    isAll &&= rows.length === Number(metadata.num_rows)
  }
  return { rows: found, columns: all, isAll }
}

/** The first rows of the first row group of a file that has any. */
async function readRowsOf(
  file: ShardFile,
  metadata: FileMetaData,
  columns: readonly string[],
  wanted: number,
): Promise<readonly Row[]> {
  const group = metadata.row_groups.find(({ num_rows }) => num_rows > 0n)
  if (group === undefined) return []
  const count = Math.min(Number(group.num_rows), wanted)
  const tree = parquetSchema(metadata)
  const read = await Promise.all(
    group.columns.flatMap(({ meta_data: meta }) => {
      const name = meta?.path_in_schema[0]
      if (meta === undefined || name === undefined || !columns.includes(name)) return []
      return readColumnStart(file, meta, tree, count).then((values) => ({ name, values }))
    }),
  )
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(read.map(({ name, values }) => [name, values[row]])),
  )
}
