import type { ResultRow } from '../../client/results/result-row.ts'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { openParquet, type RowGroup } from '../../parquet/parquet-file.ts'
import { ValueBudget } from '../../parquet/value-budget.ts'
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

/** Maximum number of values to hold, those of lists included. */
const maxValues = 50_000_000

/** A row group of a file. */
interface Part {
  readonly file: Pick<ShardFile, 'slice'>
  readonly group: RowGroup
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
  const budget = new ValueBudget(maxValues)
  const factor = code === undefined ? 1 : askedFactor
  const mayRead = (lengths: readonly number[], count: number) =>
    isFew && add(lengths) * count <= maxRows * factor * columns.length
  const lengths = parts.map(({ group }) => group.rows)
  const found: ResultRow[] = []
  if (code !== undefined && mayRead(lengths, 1))
    for (const [index, part] of parts.entries()) {
      const codes = await readColumn(part.group, codeColumn, part.group.rows, budget)
      lengths[index] = 1 + codes.findLastIndex((each) => isSameCode(each, code))
    }
  const sizes = parts.map(({ group }, index) => (lengths[index] === 0 ? 0 : group.end - group.start))
  const isSmall = add(sizes) <= maxBytes * factor
  const isAll = isSmall && mayRead(lengths, columns.length)
  if (!isAll && code !== undefined) return undefined
  for (const [index, { file, group }] of parts.entries()) {
    const length = isAll ? (lengths[index] ?? 0) : Math.min(group.rows, first - found.length)
    if (length === 0) continue
    // One request in place of one a column.
    if (isAll) await file.slice(group.start, group.end)
    for (const row of await readFirst(group, columns, length, budget))
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
  const { columns, groups } = await openParquet({ ...(await file.open()), isRemote: true })
  return { columns, parts: groups.map((group): Part => ({ file, group })) }
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

/** Reads the first rows of a row group. */
async function readFirst(group: RowGroup, names: readonly string[], rows: number, budget: ValueBudget) {
  const columns = await Promise.all(
    names.map(async (name) => [name, await readColumn(group, name, rows, budget)] as const),
  )
  return Array.from(
    { length: rows },
    (_, row): ResultRow => Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
  )
}
