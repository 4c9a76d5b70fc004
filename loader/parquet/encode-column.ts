import type { DistinctValues } from './column-values.ts'
import { ByteOutput, bitsFor, writeHybrid, writeRun } from './level-encoding.ts'

/** A column of one row group, before it is compressed. */
export interface EncodedColumn {
  /** Absent if the column has no value, or its values are not repeated. */
  readonly dictionary?: { readonly bytes: Buffer; readonly values: number }
  /** The levels and values of its only data page. */
  readonly page: Buffer
  /** How many values the page has; nulls are values. */
  readonly values: number
  readonly nulls: number
  readonly min?: string | number | bigint
  readonly max?: string | number | bigint
}

/** Statistics of longer texts are of no use to searches. */
export const maxStatisticsLength = 64

/** Writes 64-bit integers that are all there. */
export function encodeIntegers(items: BigInt64Array, rows: number): EncodedColumn {
  const output = new ByteOutput(rows * 8 + 64)
  writeAllPresent(output, rows)
  output.reserve(rows * 8)
  const source = Buffer.from(items.buffer, items.byteOffset, rows * 8)
  output.length += source.copy(output.bytes, output.length)
  return { page: output.view(), values: rows, nulls: 0, ...findRange(items, rows) }
}

// A loop over many rows is a function of its own, as in encode-values.ts.
function findRange(items: BigInt64Array, rows: number): { readonly min: bigint; readonly max: bigint } {
  let [min, max] = [items[0] ?? 0n, items[0] ?? 0n]
  for (let row = 1; row < rows; row++) {
    const item = items[row] ?? 0n
    if (item < min) min = item
    else if (item > max) max = item
  }
  return { min, max }
}

/** Writes a column without values. */
export function encodeNulls(rows: number, isList: boolean): EncodedColumn {
  const output = new ByteOutput(64)
  if (isList) writeLevels(output, () => writeRun(output, 0, rows, 1))
  writeLevels(output, () => writeRun(output, 0, rows, 1))
  return { page: output.view(), values: rows, nulls: rows }
}

/** Where rows begin whose id is not that of the row before. */
export interface Runs {
  readonly starts: Uint32Array
  readonly count: number
}

/** @param starts has room for each row and one more */
export function findRuns(ids: Uint32Array, rows: number, starts: Uint32Array): Runs {
  let count = 0
  for (let row = 0; row < rows; row++) if (row === 0 || ids[row] !== ids[row - 1]) starts[count++] = row
  starts[count] = rows
  return { starts, count }
}

/** Encodes a column whose values many rows share: a dictionary of those that a row group has, and an index for each. */
export class RepeatedColumn {
  readonly #values: DistinctValues
  /** By distinct text: its index in the row group's dictionary, if `#group` is that of the row group. */
  readonly #local: Uint32Array
  readonly #groupOf: Uint32Array
  #group = 0
  #indexes = new Uint32Array(0)
  #definitions = new Uint32Array(0)
  #repetitions = new Uint32Array(0)

  constructor(values: DistinctValues) {
    this.#values = values
    this.#local = new Uint32Array(values.count)
    this.#groupOf = new Uint32Array(values.count)
  }

  /** @param runs of rows with the same id; undefined if most rows have another id than the row before */
  encode(ids: Uint32Array, rows: number, runs?: Runs): EncodedColumn {
    this.#group++
    const { lists } = this.#values
    if (this.#values.count === 0) return encodeNulls(rows, lists !== undefined)
    return lists === undefined ? this.#encodeTexts(ids, rows, runs) : this.#encodeLists(lists, ids, rows)
  }

  #encodeTexts(ids: Uint32Array, rows: number, runs: Runs | undefined): EncodedColumn {
    const { ofId, hasNulls, count } = this.#values
    const output = new ByteOutput(rows + 64)
    const dictionary: number[] = []
    if (!hasNulls && count === 1) {
      writeAllPresent(output, rows)
      this.#indexOf(0, dictionary)
      return this.#finish(output, dictionary, { values: rows, nulls: 0 }, (bits) => writeRun(output, 0, rows, bits))
    }
    this.#makeRoom(rows)
    const [indexes, definitions] = [this.#indexes, this.#definitions]
    let present = 0
    if (runs !== undefined) {
      for (let run = 0; run < runs.count; run++) {
        const [start, end] = [runs.starts[run] ?? 0, runs.starts[run + 1] ?? rows]
        const value = ofId[ids[start] ?? 0] ?? -1
        definitions.fill(value < 0 ? 0 : 1, start, end)
        if (value < 0) continue
        indexes.fill(this.#indexOf(value, dictionary), present, present + end - start)
        present += end - start
      }
    } else
      for (let row = 0; row < rows; row++) {
        const value = ofId[ids[row] ?? 0] ?? -1
        definitions[row] = value < 0 ? 0 : 1
        if (value >= 0) indexes[present++] = this.#indexOf(value, dictionary)
      }
    if (hasNulls) writeLevels(output, () => writeHybrid(output, definitions, rows, 1))
    else writeAllPresent(output, rows)
    const counts = { values: rows, nulls: rows - present }
    return this.#finish(output, dictionary, counts, (bits) => writeHybrid(output, indexes, present, bits))
  }

  /** A list is null or has elements, none of which is null. */
  #encodeLists(lists: readonly Uint32Array[], ids: Uint32Array, rows: number): EncodedColumn {
    this.#makeRoom(rows * this.#values.longest)
    const dictionary: number[] = []
    const { values, present } = this.#findElements(lists, ids, rows, dictionary)
    const output = new ByteOutput(values + 64)
    writeLevels(output, () => writeHybrid(output, this.#repetitions, values, 1))
    writeLevels(output, () => writeHybrid(output, this.#definitions, values, 2))
    const counts = { values, nulls: values - present }
    return this.#finish(output, dictionary, counts, (bits) => writeHybrid(output, this.#indexes, present, bits))
  }

  /** Finds the levels and indexes of lists. */
  #findElements(
    lists: readonly Uint32Array[],
    ids: Uint32Array,
    rows: number,
    dictionary: number[],
  ): { readonly values: number; readonly present: number } {
    const { ofId } = this.#values
    const [indexes, definitions, repetitions] = [this.#indexes, this.#definitions, this.#repetitions]
    let values = 0
    let present = 0
    for (let row = 0; row < rows; row++) {
      const list = lists[ofId[ids[row] ?? 0] ?? -1]
      repetitions[values] = 0
      if (list === undefined) {
        definitions[values++] = 0
        continue
      }
      for (let element = 0; element < list.length; element++) {
        if (element > 0) repetitions[values] = 1
        definitions[values++] = definedElement
        indexes[present++] = this.#indexOf(list[element] ?? 0, dictionary)
      }
    }
    return { values, present }
  }

  #indexOf(value: number, dictionary: number[]): number {
    if (this.#groupOf[value] === this.#group) return this.#local[value] ?? 0
    this.#groupOf[value] = this.#group
    this.#local[value] = dictionary.length
    return dictionary.push(value) - 1
  }

  #finish(
    output: ByteOutput,
    dictionary: readonly number[],
    counts: Pick<EncodedColumn, 'values' | 'nulls'>,
    writeIndexes: (bits: number) => void,
  ): EncodedColumn {
    // Without a value there is neither a dictionary nor a width.
    if (dictionary.length === 0) return { ...counts, page: output.view() }
    writeIndexes(writeWidth(output, dictionary.length))
    const values = this.#values
    const bytes = values.concat(dictionary)
    let [min, max] = [dictionary[0] ?? 0, dictionary[0] ?? 0]
    for (const value of dictionary) {
      if (values.compare(value, min) < 0) min = value
      else if (values.compare(value, max) > 0) max = value
    }
    const isShort = Math.max(values.sizeOf(min), values.sizeOf(max)) <= maxStatisticsLength
    const range = isShort && { min: values.at(min), max: values.at(max) }
    return { ...counts, page: output.view(), dictionary: { bytes, values: dictionary.length }, ...range }
  }

  #makeRoom(count: number): void {
    if (this.#indexes.length >= count) return
    this.#indexes = enlarge(this.#indexes, count)
    this.#definitions = enlarge(this.#definitions, count)
    this.#repetitions = enlarge(this.#repetitions, count)
  }
}

function enlarge(old: Uint32Array, count: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(2 * count)
  grown.set(old)
  return grown
}

/** The definition level of an element: its list is there, has elements, and the element is there. */
const definedElement = 3

/** Levels of a page begin with their length. Source: Apache Parquet format, data page version 1. */
export function writeLevels(output: ByteOutput, write: () => void): void {
  output.reserve(4)
  const start = output.length
  output.length += 4
  write()
  output.bytes.writeUInt32LE(output.length - start - 4, start)
}

/** Writes the definition levels of a page without nulls. */
export function writeAllPresent(output: ByteOutput, rows: number): void {
  writeLevels(output, () => writeRun(output, 1, rows, 1))
}

/** Writes how many bits each index of a dictionary has, which comes before the indexes. @returns the bits */
export function writeWidth(output: ByteOutput, distinct: number): number {
  const bits = Math.max(1, bitsFor(distinct))
  output.reserve(1)
  output.bytes[output.length++] = bits
  return bits
}
