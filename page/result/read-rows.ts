import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { narrowToFirstPages } from './first-pages.ts'
import { ShardFile } from './shard-file.ts'

export type Row = Readonly<Record<string, unknown>>

/** The first rows of a result, and how much was read. */
export interface FirstRows {
  readonly rows: readonly Row[]
  /** All columns of the result. */
  readonly columns: readonly string[]
  /** Whether these are all rows of the result. */
  readonly isAll: boolean
  readonly requests: number
  readonly bytes: number
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
 * @throws UrlExpired, or TypeError if the storage does not answer
 */
export async function readFirstRows(urls: readonly string[], columns: readonly string[]): Promise<FirstRows> {
  const found: Row[] = []
  const usage = { requests: 0, bytes: 0 }
  let isAll = true
  let all: readonly string[] = []
  for (const [index, url] of urls.entries()) {
    if (found.length >= maxRows || index >= maxFiles) {
      isAll = false
      break
    }
    const file = await ShardFile.open(url)
    const metadata = await parquetMetadataAsync(file, { initialFetchSize: footerBytes })
    all = metadata.schema.filter(({ name }, place) => place > 0 && isTopLevel(metadata, name)).map(({ name }) => name)
    const wanted = columns.filter((column) => all.includes(column))
    const rowEnd = Math.min(Number(metadata.num_rows), maxRows - found.length)
    if (rowEnd > 0) {
      const narrowed = await narrowToFirstPages(file, metadata, wanted, rowEnd)
      const end = Math.min(rowEnd, Number(narrowed.num_rows))
      const rows = await parquetReadObjects({ file, metadata: narrowed, columns: wanted, rowEnd: end })
      found.push(...rows)
      isAll &&= end === Number(metadata.num_rows)
    }
    usage.requests += file.usage.requests
    usage.bytes += file.usage.bytes
  }
  return { rows: found, columns: all, isAll, ...usage }
}

const isTopLevel = (
  {
    row_groups,
  }: {
    readonly row_groups: readonly {
      readonly columns: readonly { readonly meta_data?: { readonly path_in_schema: readonly string[] } | undefined }[]
    }[]
  },
  name: string,
) => row_groups[0]?.columns.some(({ meta_data }) => meta_data?.path_in_schema[0] === name) ?? true
