import { at, int32At, uint32At } from '../../../schema/at.ts'
import type { DistinctValues } from '../../collect/distinct/distinct-values.ts'
import { DataPage } from './data-page.ts'

/** A column of one row group, before it is compressed; its page is valid until the next column is encoded. */
export interface ColumnChunk {
  /** Absent if the column has no value, or its values are not repeated. */
  readonly dictionary?: { readonly bytes: Buffer; readonly values: number }
  /** The levels and values of its only data page. */
  readonly page: Buffer
  /** Number of values of the page, nulls included. */
  readonly values: number
  readonly nulls: number
  readonly range?: { readonly min_value: string | number | bigint; readonly max_value: string | number | bigint }
}

/** Encodes a column without values. */
export function encodeNulls(rows: number, isList: boolean): ColumnChunk {
  const page = new DataPage(0)
  if (isList) page.addLevel(0, rows)
  page.addLevel(0, rows)
  return { page: page.bytes, values: rows, nulls: rows }
}

/** Statistics of longer texts are of no use to searches. */
const maxStatisticsLength = 64

/** Finds the least and the greatest value. @param count number of values, at least 1 */
export function findRange(distinct: DistinctValues, values: Uint32Array, count: number): Pick<ColumnChunk, 'range'> {
  let [min, max] = [uint32At(values, 0), uint32At(values, 0)]
  for (let index = 1; index < count; index++) {
    const value = uint32At(values, index)
    if (distinct.compare(value, min) < 0) min = value
    else if (distinct.compare(value, max) > 0) max = value
  }
  const range = { min_value: distinct.at(min), max_value: distinct.at(max) }
  const isShort = (value: string | number) =>
    typeof value === 'number' || Buffer.byteLength(value) <= maxStatisticsLength
  return isShort(range.min_value) && isShort(range.max_value) ? { range } : {}
}

/** Encodes 64-bit integers as they are; none is missing. */
export function encodeIntegers(integers: BigInt64Array, rows: number): ColumnChunk {
  const page = new DataPage(0)
  page.addLevel(1, rows)
  page.addValues(Buffer.from(integers.buffer, integers.byteOffset, rows * 8))
  const [least, greatest] = findExtremes(new Int32Array(integers.buffer, integers.byteOffset), rows)
  const range = { min_value: at(integers, least), max_value: at(integers, greatest) }
  return { page: page.bytes, values: rows, nulls: 0, range }
}

/** Finds the rows with the least and the greatest integer by their two words: a bigint for each would be an object. */
function findExtremes(words: Int32Array, rows: number): readonly [least: number, greatest: number] {
  let [least, greatest] = [0, 0]
  for (let row = 1; row < rows; row++) {
    if (compareAt(words, row, least) < 0) least = row
    else if (compareAt(words, row, greatest) > 0) greatest = row
  }
  return [least, greatest]
}

/** Compares two integers by their words. The high word has the sign. */
const compareAt = (words: Int32Array, one: number, other: number) =>
  int32At(words, 2 * one + 1) - int32At(words, 2 * other + 1) ||
  (int32At(words, 2 * one) >>> 0) - (int32At(words, 2 * other) >>> 0)
