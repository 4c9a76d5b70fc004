import type { ResultRow } from '../../client/results/result-row.ts'
import type { ShardFile } from '../../client/results/shard-file.ts'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { openParquet, type RowGroup } from '../../parquet/parquet-file.ts'
import { countElements, countRowsAtOnce, TooManyValues, ValueBudget } from '../../parquet/value-budget.ts'

/** Rows of a result. */
export interface ReadRows {
  /** Rows of the requested code, or of the whole result. */
  readonly rows: readonly ResultRow[]
  /** All columns of the result. */
  readonly columns: readonly string[]
  /** True if no row is missing; otherwise they are the first ones, and statistics of them would mislead. */
  readonly isAll: boolean
}

/** Rows to read of a result that is too large to be read whole. */
export const maxFirstRows = 2000

/** Maximum number of files to open, and to read first rows of. */
const [maxFiles, maxFirstFiles] = [50, 5]

/** Maximum rows and bytes to read unasked: about a second of decoding, and a few seconds of transfer. */
const [maxRows, maxBytes] = [250_000, 10_000_000]

/** Factor by which more may be read if the user asks for a code. */
const codeFactor = 4

/** Maximum number of values to hold, those of lists included: of all rows, and of the first ones. */
const [maxValues, maxFirstValues] = [50_000_000, 5_000_000]

/** Number of first rows to read at once: those before a row with too many values are not lost. */
const blockRows = 100

/** A row group, with the file that it is in. */
interface FileRowGroup {
  readonly file: Pick<ShardFile, 'slice'>
  readonly rowGroup: RowGroup
}

/**
 * Reads columns of a result straight from its files: all rows, or the rows of a code in any type. If all rows are too
 * many, reads the first ones; if the rows of the code are too many, returns undefined.
 *
 * @param columnNames the columns to read, or `all` of the files
 * @param first number of rows to read if all are too many
 * @throws UrlExpired, TypeError if the storage does not answer, RangeError if a file is damaged, or the error of the
 *   call for new URLs
 */
export async function readRows(
  files: readonly Pick<ShardFile, 'open' | 'slice'>[],
  columnNames: readonly string[] | 'all',
  code?: string,
  first = maxFirstRows,
): Promise<ReadRows | undefined> {
  const isFew = files.length <= maxFiles
  const opened = await Promise.all(files.slice(0, isFew ? maxFiles : maxFirstFiles).map(openFile))
  const rowGroups = opened.flatMap((file) => file.rowGroups)
  const allColumns = opened[0]?.columns ?? []
  const columns = columnNames === 'all' ? allColumns : columnNames
  const factor = code === undefined ? 1 : codeFactor
  const mayRead = (lengths: readonly number[], count: number) =>
    isFew && add(lengths) * count <= maxRows * factor * columns.length
  const lengths = rowGroups.map(({ rowGroup }) => rowGroup.rows)
  const lengthAt = (index: number) => {
    const length = lengths[index]
    if (length === undefined) throw new RangeError(`there is no row group ${index}`)
    return length
  }
  const matches: ResultRow[] = []
  if (code !== undefined && mayRead(lengths, 1))
    for (const [index, { rowGroup }] of rowGroups.entries()) {
      const codes = await readColumn(rowGroup, codeColumn, rowGroup.rows, new ValueBudget(maxValues))
      lengths[index] = 1 + codes.findLastIndex((each) => isSameCode(each, code))
    }
  const sizes = rowGroups.map(({ rowGroup }, index) => (lengthAt(index) === 0 ? 0 : rowGroup.end - rowGroup.start))
  const isSmall = add(sizes) <= maxBytes * factor
  const values = rowGroups.map(({ rowGroup }, index) =>
    lengthAt(index) === 0 ? 0 : lengthAt(index) * columns.length + countElements(chunksOf(rowGroup, columns)),
  )
  const isAll = isSmall && mayRead(lengths, columns.length) && add(values) <= maxValues
  if (!isAll && code !== undefined) return undefined
  if (!isAll) return { rows: await readFirstRows(rowGroups, columns, first), columns: allColumns, isAll }
  const budget = new ValueBudget(maxValues)
  for (const [index, { file, rowGroup }] of rowGroups.entries()) {
    const length = lengthAt(index)
    if (length === 0) continue
    // One request for the whole row group is faster than one for each column.
    await file.slice(rowGroup.start, rowGroup.end)
    for (const row of await openRows(rowGroup, columns).take(length, budget))
      if (code === undefined || isSameCode(row[codeColumn], code)) matches.push(row)
  }
  return { rows: matches, columns: allColumns, isAll }
}

/** Reads the first rows of row groups, up to one with more values than can be held. */
async function readFirstRows(rowGroups: readonly FileRowGroup[], columns: readonly string[], first: number) {
  const rows: ResultRow[] = []
  const budget = new ValueBudget(maxFirstValues)
  try {
    for (const { rowGroup } of rowGroups) {
      const end = Math.min(rowGroup.rows, first - rows.length)
      const { take, rowsAtOnce } = openRows(rowGroup, columns)
      for (let start = 0; start < end; start += rowsAtOnce)
        rows.push(...(await take(Math.min(rowsAtOnce, end - start), budget)))
    }
  } catch (error) {
    if (!(error instanceof TooManyValues)) throw error
  }
  return rows
}

const codeColumn = 'billing_code'

/** Compares codes without leading zeros, points and hyphens, which depend on the way a type is written. */
const isSameCode = (one: unknown, other: string) => bareCode(String(one)) === bareCode(other)
const bareCode = (code: string) => code.trim().toUpperCase().replace(/[.-]/g, '').replace(/^0+/, '')

const add = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

async function openFile(file: Pick<ShardFile, 'open' | 'slice'>) {
  const { columns, rowGroups } = await openParquet({ ...(await file.open()), isRemote: true })
  return { columns, rowGroups: rowGroups.map((rowGroup): FileRowGroup => ({ file, rowGroup })) }
}

async function readColumn(
  { chunks }: RowGroup,
  column: string,
  rows: number,
  budget: ValueBudget,
): Promise<readonly unknown[]> {
  const chunk = chunks.get(column)
  return chunk === undefined ? [] : await new ColumnReader(chunk).take(rows, budget)
}

const chunksOf = ({ chunks }: RowGroup, names: readonly string[]) => names.flatMap((name) => chunks.get(name) ?? [])

/** Opens columns of a row group, to take its rows in order. */
function openRows(rowGroup: RowGroup, names: readonly string[]) {
  const chunks = chunksOf(rowGroup, names)
  const readers = chunks.map((chunk) => ({ name: chunk.name, reader: new ColumnReader(chunk) }))
  return {
    rowsAtOnce: countRowsAtOnce(chunks, blockRows, maxFirstValues / 10),
    take: async (rows: number, budget: ValueBudget): Promise<readonly ResultRow[]> => {
      const columns = await Promise.all(
        readers.map(async ({ name, reader }) => [name, await reader.take(rows, budget)] as const),
      )
      return Array.from({ length: rows }, (_, row) =>
        Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
      )
    },
  }
}
