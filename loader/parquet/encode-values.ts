import type { EncodedColumn } from './encode-column.ts'
import { encodeNulls, maxStatisticsLength, writeLevels } from './encode-column.ts'
import { ByteOutput, bitsFor, writeHybrid, writeRun } from './level-encoding.ts'
import type { TextPool } from './text-pool.ts'
import { noText } from './text-pool.ts'

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

  /** @param pool to which nothing is added any more */
  constructor(pool: TextPool) {
    this.#pool = pool
    this.#local = new Uint32Array(pool.count)
    this.#groupOf = new Uint32Array(pool.count)
  }

  /** @param ids the text of each row, or `noText` */
  encode(ids: Uint32Array, rows: number): EncodedColumn {
    const pool = this.#pool
    const [local, groupOf] = [this.#local, this.#groupOf]
    const group = ++this.#group
    const distinct: number[] = []
    let present = 0
    let [min, max] = [-1, -1]
    for (let row = 0; row < rows; row++) {
      const id = ids[row] ?? 0
      if (id === noText) continue
      present++
      if (groupOf[id] === group) continue
      groupOf[id] = group
      local[id] = distinct.length
      distinct.push(id)
      if (min < 0 || pool.compare(id, min) < 0) min = id
      if (max < 0 || pool.compare(id, max) > 0) max = id
    }
    if (present === 0) return encodeNulls(rows, false)
    const isShort = Math.max(pool.sizeOf(min), pool.sizeOf(max)) <= maxStatisticsLength
    const counts = { values: rows, nulls: rows - present, ...(isShort && { min: pool.at(min), max: pool.at(max) }) }
    const output = new ByteOutput(16 * rows)
    writePresence(output, ids, rows, present)
    if (minRepetition * distinct.length > present) {
      for (let row = 0; row < rows; row++) if (ids[row] !== noText) this.#write(output, ids[row] ?? 0)
      return { ...counts, page: output.view() }
    }
    const dictionary = new ByteOutput(16 * distinct.length)
    for (const id of distinct) this.#write(dictionary, id)
    const indexes = new Uint32Array(present)
    let at = 0
    for (let row = 0; row < rows; row++) if (ids[row] !== noText) indexes[at++] = local[ids[row] ?? 0] ?? 0
    writeIndexes(output, indexes, present, distinct.length)
    return { ...counts, page: output.view(), dictionary: { bytes: dictionary.view(), values: distinct.length } }
  }

  #write(output: ByteOutput, id: number): void {
    const { bytes, starts } = this.#pool
    const [start, end] = [starts[id] ?? 0, starts[id + 1] ?? 0]
    output.reserve(end - start)
    let to = output.length
    for (let from = start; from < end; from++) output.bytes[to++] = bytes[from] ?? 0
    output.length = to
  }
}

/** Rows with the same text from which a dictionary is smaller. */
const minRepetition = 2

function writePresence(output: ByteOutput, ids: Uint32Array, rows: number, present: number): void {
  writeLevels(output, () => {
    if (present === rows) writeRun(output, 1, rows, 1)
    else {
      const levels = Uint32Array.from({ length: rows }, (_, row) => (ids[row] === noText ? 0 : 1))
      writeHybrid(output, levels, rows, 1)
    }
  })
}

function writeIndexes(output: ByteOutput, indexes: Uint32Array, count: number, distinct: number): void {
  const bits = Math.max(1, bitsFor(distinct))
  output.reserve(1)
  output.bytes[output.length++] = bits
  writeHybrid(output, indexes, count, bits)
}

const wordSize = 2 ** 32

/** Encodes natural numbers of at most 2^53 in ascending order as INT64. */
export function encodeAscending(numbers: Float64Array, rows: number): EncodedColumn {
  const output = new ByteOutput(rows * 8 + 64)
  writeLevels(output, () => writeRun(output, 1, rows, 1))
  const words = new Uint32Array(2 * rows)
  for (let row = 0; row < rows; row++) {
    const number = numbers[row] ?? 0
    words[2 * row] = number
    words[2 * row + 1] = number / wordSize
  }
  output.reserve(8 * rows)
  output.length += Buffer.from(words.buffer).copy(output.bytes, output.length)
  const [min, max] = [BigInt(numbers[0] ?? 0), BigInt(numbers[rows - 1] ?? 0)]
  return { page: output.view(), values: rows, nulls: 0, min, max }
}

/** Encodes natural numbers of which many rows have the same as INT32 with a dictionary. */
export function encodeCounts(numbers: Uint32Array, rows: number): EncodedColumn {
  const output = new ByteOutput(2 * rows + 64)
  writeLevels(output, () => writeRun(output, 1, rows, 1))
  const indexOf = new Map<number, number>()
  const indexes = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) {
    const number = numbers[row] ?? 0
    const known = row > 0 && number === numbers[row - 1] ? indexes[row - 1] : indexOf.get(number)
    indexes[row] = known ?? indexOf.size
    if (known === undefined) indexOf.set(number, indexOf.size)
  }
  writeIndexes(output, indexes, rows, indexOf.size)
  const distinct = Int32Array.from(indexOf.keys())
  const [min, max] = [distinct.reduce((a, b) => Math.min(a, b)), distinct.reduce((a, b) => Math.max(a, b))]
  const dictionary = { bytes: Buffer.from(distinct.buffer), values: distinct.length }
  return { page: output.view(), values: rows, nulls: 0, dictionary, min, max }
}
