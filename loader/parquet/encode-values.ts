import type { EncodedColumn } from './encode-column.ts'
import { encodeNulls, maxStatisticsLength, writeAllPresent, writeLevels, writeWidth } from './encode-column.ts'
import { ByteOutput, writeHybrid } from './level-encoding.ts'
import type { TextPool } from './text-pool.ts'
import { noText } from './text-pool.ts'

/**
 * Loops over rows are functions of their own: the engine compiles a function within its loop, and would throw the code away
 * at the end of the loop if more came after it.
 */

/**
 * Encodes texts of a pool: those of a row group in which they repeat as a dictionary, which readers use to skip row groups,
 * others as they are.
 */
export class PooledTexts {
  readonly #pool: TextPool
  /** By text: its index in the row group's dictionary, if `#groupOf` is that of the row group. */
  readonly #local: Uint32Array
  readonly #groupOf: Uint32Array
  #group = 0
  /** The dictionary of the row group, and the index of each value in it. */
  #distinct = new Uint32Array(0)
  #indexes = new Uint32Array(0)
  #count = 0
  #min = 0
  #max = 0

  /** @param pool to which nothing is added any more */
  constructor(pool: TextPool) {
    this.#pool = pool
    this.#local = new Uint32Array(pool.count)
    this.#groupOf = new Uint32Array(pool.count)
  }

  /** @param ids the text of each row, or `noText` */
  encode(ids: Uint32Array, rows: number): EncodedColumn {
    const pool = this.#pool
    if (this.#distinct.length < rows) {
      this.#distinct = new Uint32Array(rows)
      this.#indexes = new Uint32Array(rows)
    }
    const present = this.#findDistinct(ids, rows)
    if (present === 0) return encodeNulls(rows, false)
    const [min, max] = [this.#min, this.#max]
    const isShort = Math.max(pool.sizeOf(min), pool.sizeOf(max)) <= maxStatisticsLength
    const counts = { values: rows, nulls: rows - present, ...(isShort && { min: pool.at(min), max: pool.at(max) }) }
    const output = new ByteOutput(16 * rows)
    writePresence(output, ids, rows, present)
    if (minRepetition * this.#count > present) {
      this.#writeTexts(output, ids, rows)
      return { ...counts, page: output.view() }
    }
    const dictionary = new ByteOutput(16 * this.#count)
    this.#writeTexts(dictionary, this.#distinct, this.#count)
    writeIndexes(output, this.#indexes, present, this.#count)
    return { ...counts, page: output.view(), dictionary: { bytes: dictionary.view(), values: this.#count } }
  }

  /** @returns how many rows have a text */
  #findDistinct(ids: Uint32Array, rows: number): number {
    const [pool, local, groupOf] = [this.#pool, this.#local, this.#groupOf]
    const [distinct, indexes] = [this.#distinct, this.#indexes]
    const group = ++this.#group
    this.#count = 0
    let present = 0
    for (let row = 0; row < rows; row++) {
      const id = ids[row] ?? 0
      if (id === noText) continue
      if (groupOf[id] !== group) {
        groupOf[id] = group
        local[id] = this.#count
        distinct[this.#count++] = id
        if (present === 0 || pool.compare(id, this.#min) < 0) this.#min = id
        if (present === 0 || pool.compare(id, this.#max) > 0) this.#max = id
      }
      indexes[present++] = local[id] ?? 0
    }
    return present
  }

  #writeTexts(output: ByteOutput, ids: Uint32Array, rows: number): void {
    const { bytes, starts } = this.#pool
    const size = sumSizes(starts, ids, rows)
    output.reserve(size)
    copyTexts(viewOf(output.bytes), output.length, viewOf(bytes), starts, ids, rows)
    output.length += size
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

function sumSizes(starts: Uint32Array, ids: Uint32Array, rows: number): number {
  let size = 0
  for (let row = 0; row < rows; row++) {
    const id = ids[row] ?? 0
    if (id !== noText) size += (starts[id + 1] ?? 0) - (starts[id] ?? 0)
  }
  return size
}

/** Copies four bytes at a time: most texts are too short for a call to copy them. */
function copyTexts(
  target: DataView,
  start: number,
  source: DataView,
  starts: Uint32Array,
  ids: Uint32Array,
  rows: number,
): void {
  let to = start
  for (let row = 0; row < rows; row++) {
    const id = ids[row] ?? 0
    if (id === noText) continue
    const end = starts[id + 1] ?? 0
    let from = starts[id] ?? 0
    for (; from + 4 <= end; from += 4, to += 4) target.setUint32(to, source.getUint32(from))
    for (; from < end; from++, to++) target.setUint8(to, source.getUint8(from))
  }
}

/** Rows with the same text from which a dictionary is smaller. */
const minRepetition = 2

function writePresence(output: ByteOutput, ids: Uint32Array, rows: number, present: number): void {
  if (present === rows) {
    writeAllPresent(output, rows)
    return
  }
  const levels = Uint32Array.from({ length: rows }, (_, row) => (ids[row] === noText ? 0 : 1))
  writeLevels(output, () => writeHybrid(output, levels, rows, 1))
}

function writeIndexes(output: ByteOutput, indexes: Uint32Array, count: number, distinct: number): void {
  writeHybrid(output, indexes, count, writeWidth(output, distinct))
}

const wordSize = 2 ** 32

/** Encodes natural numbers of at most 2^53 in ascending order as INT64. */
export function encodeAscending(numbers: Float64Array, rows: number): EncodedColumn {
  const output = new ByteOutput(rows * 8 + 64)
  writeAllPresent(output, rows)
  const words = new Uint32Array(2 * rows)
  splitWords(numbers, rows, words)
  output.reserve(8 * rows)
  output.length += Buffer.from(words.buffer).copy(output.bytes, output.length)
  const [min, max] = [BigInt(numbers[0] ?? 0), BigInt(numbers[rows - 1] ?? 0)]
  return { page: output.view(), values: rows, nulls: 0, min, max }
}

function splitWords(numbers: Float64Array, rows: number, words: Uint32Array): void {
  for (let row = 0; row < rows; row++) {
    const number = numbers[row] ?? 0
    words[2 * row] = number
    words[2 * row + 1] = number / wordSize
  }
}

/** Encodes natural numbers of which many rows have the same as INT32 with a dictionary. */
export function encodeCounts(numbers: Uint32Array, rows: number): EncodedColumn {
  const output = new ByteOutput(2 * rows + 64)
  writeAllPresent(output, rows)
  const indexes = new Uint32Array(rows)
  const indexOf = indexNumbers(numbers, rows, indexes)
  writeIndexes(output, indexes, rows, indexOf.size)
  const distinct = Int32Array.from(indexOf.keys())
  const [min, max] = [distinct.reduce((a, b) => Math.min(a, b)), distinct.reduce((a, b) => Math.max(a, b))]
  const dictionary = { bytes: Buffer.from(distinct.buffer), values: distinct.length }
  return { page: output.view(), values: rows, nulls: 0, dictionary, min, max }
}

/** @returns the index of each number */
function indexNumbers(numbers: Uint32Array, rows: number, indexes: Uint32Array): ReadonlyMap<number, number> {
  const indexOf = new Map<number, number>()
  for (let row = 0; row < rows; row++) {
    const number = numbers[row] ?? 0
    const known = row > 0 && number === numbers[row - 1] ? indexes[row - 1] : indexOf.get(number)
    indexes[row] = known ?? indexOf.size
    if (known === undefined) indexOf.set(number, indexOf.size)
  }
  return indexOf
}
