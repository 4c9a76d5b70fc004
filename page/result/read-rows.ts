import { type ColumnMetaData, parquetMetadataAsync, parquetSchema, type SchemaTree } from 'hyparquet'
import { type ResultRow, spanOfColumn } from '../../client/results/parquet-column.ts'
import { readColumnStart } from './column-start.ts'
import type { ShardFile } from './shard-file.ts'

/** Rows of a result. */
export interface ReadRows {
  /** Those of the code that was asked for, or of the whole result. */
  readonly rows: readonly ResultRow[]
  /** All columns of the result. */
  readonly columns: readonly string[]
  /** Whether none of them is missing; otherwise they are the first ones, and no statistic may be made of them. */
  readonly isAll: boolean
}

/** Rows to read of a result that is too large to be read whole. */
export const maxFirstRows = 2000

/** Maximum number of files to open, and to read first rows of. */
const [maxFiles, maxFirstFiles] = [50, 5]

/** What is read without being asked for: about a second of decoding, and a few of transfer. */
const [maxRows, maxBytes] = [250_000, 10_000_000]

/** How much more may be read for a code that was asked for. */
const askedFactor = 4

/** Bytes to read at the end of a file for its footer. */
const footerBytes = 65_536

/** A row group of a file. */
interface Part {
  readonly file: Pick<ShardFile, 'slice'>
  readonly tree: SchemaTree
  readonly rows: number
  readonly columns: ReadonlyMap<string, ColumnMetaData>
}

/**
 * Reads columns of a result straight from its files: all rows, or those of a code in any type; if all are too many, the
 * first ones, and nothing if those of the code are.
 *
 * @param first how many are read if all are too many
 * @throws UrlExpired, TypeError if the storage does not answer, RangeError if a file is damaged, or what getting new URLs
 *   throws
 */
export async function readRows(
  files: readonly Pick<ShardFile, 'open' | 'slice'>[],
  columns: readonly string[],
  code?: string,
  first = maxFirstRows,
): Promise<ReadRows | undefined> {
  const isFew = files.length <= maxFiles
  const opened = await Promise.all(files.slice(0, isFew ? maxFiles : maxFirstFiles).map(openFile))
  const parts = opened.flatMap((file) => file.parts)
  const all = opened[0]?.columns ?? []
  const factor = code === undefined ? 1 : askedFactor
  const mayRead = (lengths: readonly number[], count: number) =>
    isFew && add(lengths) * count <= maxRows * factor * columns.length
  const lengths = parts.map(({ rows }) => rows)
  const found: ResultRow[] = []
  if (code !== undefined && mayRead(lengths, 1))
    for (const [index, part] of parts.entries()) {
      const codes = await readColumn(part, codeColumn, part.rows)
      lengths[index] = 1 + Array.from(codes).findLastIndex((each) => isSameCode(each, code))
    }
  const sizes = parts.map((part, index) => (lengths[index] === 0 ? 0 : spanOf(part)[1] - spanOf(part)[0]))
  const isSmall = sizes.every((size) => size >= 0) && add(sizes) <= maxBytes * factor
  const isAll = isSmall && mayRead(lengths, columns.length)
  if (!isAll && code !== undefined) return undefined
  for (const [index, part] of parts.entries()) {
    const length = isAll ? (lengths[index] ?? 0) : Math.min(part.rows, first - found.length)
    if (length === 0) continue
    // One request in place of one a column.
    if (isAll) await part.file.slice(...spanOf(part))
    for (const row of await readPart(part, columns, length))
      if (code === undefined || isSameCode(row[codeColumn], code)) found.push(row)
  }
  return { rows: found, columns: all, isAll }
}

const codeColumn = 'billing_code'

/** Zeros in front, points and hyphens are how a type writes a code. */
const isSameCode = (one: unknown, other: string) => bareCode(String(one)) === bareCode(other)
const bareCode = (code: string) => code.trim().toUpperCase().replace(/[.-]/g, '').replace(/^0+/, '')

const add = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

async function openFile(file: Pick<ShardFile, 'open' | 'slice'>) {
  const metadata = await parquetMetadataAsync(await file.open(), { initialFetchSize: footerBytes })
  const tree = parquetSchema(metadata)
  const parts = metadata.row_groups.map(({ num_rows, columns }): Part => {
    const metas = columns.flatMap(({ meta_data: meta }) => (meta === undefined ? [] : [meta]))
    return {
      file,
      tree,
      rows: Number(num_rows),
      columns: new Map(metas.map((meta) => [meta.path_in_schema[0] ?? '', meta])),
    }
  })
  return { parts, columns: tree.children.map(({ element }) => element.name) }
}

/** From which byte to before which byte a file has a row group. */
function spanOf(part: Part): [start: number, end: number] {
  const spans = [...part.columns.values()].map(spanOfColumn)
  return [Math.min(...spans.map(([start]) => start)), Math.max(...spans.map(([, end]) => end))]
}

async function readColumn({ file, tree, columns }: Part, column: string, rows: number): Promise<ArrayLike<unknown>> {
  const meta = columns.get(column)
  return meta === undefined ? [] : await readColumnStart(file, meta, tree, rows)
}

/** The first rows of a row group. */
async function readPart(part: Part, columns: readonly string[], rows: number): Promise<readonly ResultRow[]> {
  const read = await Promise.all(
    columns.map((name) => readColumn(part, name, rows).then((values) => [name, values] as const)),
  )
  return Array.from({ length: rows }, (_, row) => Object.fromEntries(read.map(([name, values]) => [name, values[row]])))
}
