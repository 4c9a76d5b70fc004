import type { Column } from '../../../schema/columns/column.ts'
import type { ColumnValue } from '../../collect/column-values.ts'
import { type ColumnChunk, encodeIntegers } from './column-chunk.ts'
import { DictionaryColumn } from './dictionary-column.ts'
import { ParquetFile } from './parquet-file.ts'
import { rowGroupSize } from './row-group-size.ts'

/** Encodes a column of a row group, by what its rows name. */
interface ColumnEncoder {
  encode(ids: Uint32Array, rows: number): ColumnChunk
}

/** Columns whose values are those of what a row names, such as its item: the values of each by id, from 0. */
export type SharedColumns = ReadonlyMap<string, readonly ColumnValue[] | ColumnEncoder>

/** The rows of a row group: for each of `SharedColumns` their ids, and for each column of integers their numbers. */
export interface RowGroup {
  readonly size: number
  readonly ids: readonly Uint32Array[]
  readonly integers: readonly BigInt64Array<ArrayBuffer>[]
}

/** A table's file, and how its rows are given. */
export interface RowsFile {
  readonly path: string
  readonly columns: readonly Column[]
  /** How many rows there are; row groups are sized by it. */
  readonly rows: number
  readonly shared: readonly SharedColumns[]
  /** Names of the columns whose values are integers, or decimals without their point; none is missing. */
  readonly integers: readonly string[]
}

/**
 * Writes rows to a Parquet file. Values that rows share are encoded once for each row group, which takes a fraction of
 * the time of writing every row with all its texts.
 *
 * @param fill sets the rows of one row group after the other, and yields how many it has set whenever the group is
 *   full enough
 * @throws RangeError if there are more or fewer rows than the file says
 */
export async function writeRows(file: RowsFile, fill: (group: RowGroup) => Iterable<number>): Promise<void> {
  const size = rowGroupSize(file.rows)
  const ids = file.shared.map(() => new Uint32Array(size))
  const integers = file.integers.map(() => new BigInt64Array(size))
  const encoders = file.columns.map((column) => findEncoder(column, file, ids, integers))
  await using written = await ParquetFile.create(file.path, file.columns)
  let taken = 0
  for (const filled of fill({ size, ids, integers })) {
    taken += filled
    if (filled > 0) await written.addRowGroup(filled, encoders)
  }
  if (taken !== file.rows) throw new RangeError(`${taken} rows came instead of ${file.rows}`)
  await written.finish()
}

function findEncoder(
  { name, type }: Column,
  { shared, integers: names }: RowsFile,
  ids: readonly Uint32Array[],
  integers: readonly BigInt64Array[],
): (rows: number) => ColumnChunk {
  const own = integers[names.indexOf(name)]
  if (own !== undefined) return (rows) => encodeIntegers(own, rows)
  const place = shared.findIndex((columns) => columns.has(name))
  const values = shared[place]?.get(name)
  const idsOf = ids[place]
  if (values === undefined || idsOf === undefined) throw new TypeError(`the column ${name} has no values`)
  const column = 'encode' in values ? values : DictionaryColumn.of(values, type === 'varchar ARRAY')
  return (rows) => column.encode(idsOf, rows)
}
