import { ColumnReader } from '../../parquet/column-reader.ts'
import { openParquet, type RowGroup } from '../../parquet/parquet-file.ts'
import { countRowsAtOnce, ValueBudget } from '../../parquet/value-budget.ts'
import { at } from '../../schema/at.ts'
import type { CompletedManifest } from '../api.ts'
import type { ResultRow } from '../results/result-row.ts'
import { openFiles } from '../results/shard-file.ts'
import type { ToolSession } from './session.ts'

/** Maximum number of bytes of a result to read for one answer: a second or two from S3 into a function. */
const maxBytes = 40_000_000

/** Maximum number of values of a column to hold, those of lists included. */
const maxValues = 5_000_000

/** Maximum size in bytes of a row group that is read by one request, which is faster than one for each column. */
const smallRowGroup = 2_000_000

/** Number of rows to compare at once, and of values of a column among them if the column has long lists. */
const [blockRows, blockValues] = [20_000, 200_000]

/** Maximum number of elements of lists of a column in the rows of an answer, which shows a few of each. */
const maxElements = 1_000_000

/** Rows of a result's files that an answer is made of. */
export interface FoundRows {
  /** The rows, each with the index of its file. */
  readonly rows: readonly { readonly file: number; readonly row: ResultRow }[]
  readonly columns: readonly string[]
  /** True if no further row of the result can match. */
  readonly isWhole: boolean
}

/** The rows to read: those for which `matches` is true, by the values of a few columns. */
interface RowChoice {
  /** The columns that `matches` needs; none if it takes every row. */
  readonly by: readonly string[]
  readonly matches: (row: ResultRow) => boolean
  /** Maximum number of rows. */
  readonly limit: number
}

/** The bytes that an answer may read are used up. */
class TooManyBytes extends Error {}

/**
 * Reads the rows of a completed search that match, straight from its files, until there are enough of them or too many
 * bytes were read.
 *
 * @param columns the columns to read @default - all
 * @throws UrlExpired, TypeError if the storage does not answer, RangeError if a file is damaged
 */
export async function findRows(
  { calls }: ToolSession,
  { job_id, shards }: CompletedManifest,
  { by, matches, limit }: RowChoice,
  columns?: readonly string[],
): Promise<FoundRows> {
  const renew = async () => {
    const renewed = await calls.get(job_id)
    if (renewed.status !== 'completed') throw new TypeError(`a completed search is ${renewed.status}`)
    return renewed
  }
  const files = openFiles({ download_urls: shards.map(({ url }) => url) }, renew, calls.transport.fetch)
  const rows: { readonly file: number; readonly row: ResultRow }[] = []
  let allColumns: readonly string[] = []
  let bytes = 0
  try {
    for (const [index, file] of files.entries()) {
      const { byteLength, slice } = await file.open()
      const countedSlice: typeof slice = (start, end = byteLength) => {
        bytes += end - start
        if (bytes > maxBytes) throw new TooManyBytes()
        return slice(start, end)
      }
      const parquet = await openParquet({ byteLength, slice: countedSlice, isRemote: true })
      allColumns = parquet.columns
      for (const rowGroup of parquet.rowGroups) {
        if (rows.length >= limit) return { rows, columns: allColumns, isWhole: false }
        if (rowGroup.end - rowGroup.start <= smallRowGroup) await slice(rowGroup.start, rowGroup.end)
        const positions = await findPositions(rowGroup, { by, matches, limit: limit - rows.length + 1 })
        for (const row of await readPositions(rowGroup, positions, columns ?? parquet.columns))
          rows.push({ file: index, row })
      }
    }
  } catch (error) {
    if (!(error instanceof TooManyBytes)) throw error
    return { rows: rows.slice(0, limit), columns: allColumns, isWhole: false }
  }
  return { rows: rows.slice(0, limit), columns: allColumns, isWhole: rows.length <= limit }
}

/** Returns the positions of the rows that match, ascending. */
async function findPositions(rowGroup: RowGroup, { by, matches, limit }: RowChoice): Promise<readonly number[]> {
  const readers = openColumns(rowGroup, by)
  const positions: number[] = []
  const step = by.length === 0 ? limit : blockRows
  for (let start = 0; start < rowGroup.rows && positions.length < limit; start += step) {
    const count = Math.min(step, rowGroup.rows - start)
    const columns: (readonly [name: string, values: readonly unknown[]])[] = []
    for (const { name, reader } of readers) columns.push([name, await reader.take(count, new ValueBudget(maxValues))])
    for (let row = 0; row < count && positions.length < limit; row += 1)
      if (matches(Object.fromEntries(columns.map(([name, values]) => [name, values[row]])))) positions.push(start + row)
  }
  return positions
}

/** Reads some rows of a row group, one column after the other. */
async function readPositions(
  rowGroup: RowGroup,
  positions: readonly number[],
  names: readonly string[],
): Promise<readonly ResultRow[]> {
  if (positions.length === 0) return []
  const count = at(positions, positions.length - 1) + 1
  const columns: (readonly [name: string, values: readonly unknown[]])[] = []
  for (const { name, chunk, reader } of openColumns(rowGroup, names)) {
    const rowsAtOnce = countRowsAtOnce([chunk], blockRows, blockValues)
    const chosenValues: unknown[] = []
    const elements = new ValueBudget(maxElements)
    for (let start = 0; start < count; start += rowsAtOnce) {
      const values = await reader.take(Math.min(rowsAtOnce, count - start), new ValueBudget(maxValues))
      for (
        let position = positions[chosenValues.length];
        position !== undefined;
        position = positions[chosenValues.length]
      ) {
        if (position >= start + values.length) break
        const value = values[position - start]
        if (Array.isArray(value)) elements.spend(value.length)
        chosenValues.push(value)
      }
    }
    columns.push([name, chosenValues])
  }
  return positions.map((_, row) => Object.fromEntries(columns.map(([name, values]) => [name, values[row]])))
}

/** Opens columns of a row group; one that it lacks is missing. */
const openColumns = ({ chunks }: RowGroup, names: readonly string[]) =>
  names.flatMap((name) => {
    const chunk = chunks.get(name)
    return chunk === undefined ? [] : [{ name, chunk, reader: new ColumnReader(chunk) }]
  })
