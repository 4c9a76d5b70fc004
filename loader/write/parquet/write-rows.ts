import type { Column } from '../../../schema/columns/column.ts'
import type { ColumnValue } from '../../columns/column-values.ts'
import { type ColumnChunk, encodeIntegers } from './column-chunk.ts'
import { DictionaryColumn } from './dictionary-column.ts'
import { ParquetFile } from './parquet-file.ts'
import { rowGroupSize } from './row-group-size.ts'

/** Columns whose values are those of what a row names, such as its item. */
export interface SharedColumns {
  /** The values of each column by id, from 0. */
  readonly values: ReadonlyMap<string, readonly ColumnValue[] | DictionaryColumn>
}

/** Some rows: for each of `SharedColumns` an id, and for each column of integers a number. */
export interface RowChunk {
  readonly rows: number
  readonly ids: readonly Uint32Array[]
  readonly integers: readonly BigInt64Array[]
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
 * @throws RangeError if there are more or fewer rows than the file says
 */
export async function writeRows(file: RowsFile, chunks: AsyncIterable<RowChunk>): Promise<void> {
  const size = rowGroupSize(file.rows)
  const ids = file.shared.map(() => new Uint32Array(size))
  const integers = file.integers.map(() => new BigInt64Array(size))
  const encoders = file.columns.map((column) => findEncoder(column, file, ids, integers))
  await using written = await ParquetFile.create(file.path, file.columns)
  let filled = 0
  let taken = 0
  const flush = async () => {
    await written.addRowGroup(filled, encoders)
    filled = 0
  }
  for await (const chunk of chunks) {
    taken += chunk.rows
    for (let from = 0; from < chunk.rows; ) {
      const to = Math.min(chunk.rows, from + size - filled)
      for (const [index, target] of ids.entries()) target.set(chunk.ids[index]?.subarray(from, to) ?? [], filled)
      for (const [index, target] of integers.entries())
        target.set(chunk.integers[index]?.subarray(from, to) ?? [], filled)
      filled += to - from
      from = to
      if (filled === size) await flush()
    }
  }
  if (filled > 0) await flush()
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
  const place = shared.findIndex(({ values }) => values.has(name))
  const values = shared[place]?.values.get(name)
  const idsOf = ids[place]
  if (values === undefined || idsOf === undefined) throw new TypeError(`the column ${name} has no values`)
  const column = values instanceof DictionaryColumn ? values : DictionaryColumn.of(values, type === 'varchar ARRAY')
  return (rows) => column.encode(idsOf, rows)
}
