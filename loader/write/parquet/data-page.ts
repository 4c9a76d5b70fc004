import { uint32At } from '../../../schema/at.ts'

/** Bytes of the page that is being written. Pages are written one by one and share it, which saves memory and time. */
let room = Buffer.alloc(0)

/**
 * A data page: levels, and indexes of a dictionary or values. It is valid until the next one is made. Source: Apache
 * Parquet format, data page version 1.
 */
export class DataPage {
  #bytes: Buffer
  #length = 0

  /** @param values number of values, nulls included */
  constructor(values: number) {
    const most = mostBytes * values + 128
    if (room.length < most) room = Buffer.allocUnsafeSlow(most)
    this.#bytes = room
  }

  /** The bytes so far. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Adds values in the encoding PLAIN. */
  addValues(values: Uint8Array): void {
    if (room.length < this.#length + values.length) {
      room = Buffer.allocUnsafeSlow(this.#length + 2 * values.length)
      this.#bytes.copy(room, 0, 0, this.#length)
      this.#bytes = room
    }
    this.#bytes.set(values, this.#length)
    this.#length += values.length
  }

  /** Writes a level for each value, of at most `max`. */
  addLevels(levels: Uint32Array, count: number, max: number): void {
    this.#addLevels(() => this.#addHybrid(levels, count, bitsFor(max + 1)))
  }

  /** Writes the same level, 0 or 1, for all values. */
  addLevel(level: number, count: number): void {
    this.#addLevels(() => this.#addRun(level, count, 1))
  }

  /** Writes an index of a dictionary for each value that is there. */
  addIndexes(indexes: Uint32Array, count: number, dictionarySize: number): void {
    this.#addHybrid(indexes, count, this.#addWidth(dictionarySize))
  }

  /** Writes the first value of a dictionary for all values. */
  addFirst(count: number): void {
    this.#addRun(0, count, this.#addWidth(1))
  }

  #addWidth(dictionarySize: number): number {
    const bits = Math.max(1, bitsFor(dictionarySize))
    this.#bytes[this.#length++] = bits
    return bits
  }

  /** Levels come after their length. */
  #addLevels(add: () => void): void {
    const start = this.#length
    this.#length += 4
    add()
    this.#bytes.writeUInt32LE(this.#length - start - 4, start)
  }

  /**
   * Writes numbers as runs and bit-packed groups. Source: Apache Parquet format, "Run Length Encoding / Bit-Packing
   * Hybrid".
   *
   * @param bits width of each number, at most 24
   */
  #addHybrid(values: Uint32Array, count: number, bits: number): void {
    let packedFrom = 0
    // Runs are looked for only where a bit-packed group of eight values would begin.
    for (let start = 0; start < count; ) {
      const end = endOfRun(values, start, count)
      if (end - start < shortestRun) {
        start += groupLength
        continue
      }
      if (start > packedFrom) this.#addPacked(values.subarray(packedFrom, start), bits)
      this.#addRun(uint32At(values, start), end - start, bits)
      packedFrom = end
      start = end
    }
    if (count > packedFrom) this.#addPacked(values.subarray(packedFrom, count), bits)
  }

  #addRun(value: number, count: number, bits: number): void {
    this.#addVarint(count * 2)
    for (let shift = 0; shift < bits; shift += 8) this.#bytes[this.#length++] = (value >>> shift) & 0xff
  }

  /** The last group is filled up with zeros. */
  #addPacked(values: Uint32Array, bits: number): void {
    const groups = Math.ceil(values.length / groupLength)
    this.#addVarint(groups * 2 + 1)
    const end = this.#length + groups * bits
    packBits(values, bits, this.#bytes.subarray(this.#length, end))
    this.#length = end
  }

  #addVarint(value: number): void {
    let bits = value
    for (; bits > 0x7f; bits >>>= 7) this.#bytes[this.#length++] = (bits & 0x7f) | 0x80
    this.#bytes[this.#length++] = bits
  }
}

/** Maximum length of a value in bytes: an index of 24 bits and two levels. */
const mostBytes = 6

/** Minimum number of values for which a run is shorter than bit-packing. */
const shortestRun = 16

/** Width of the numbers from 0 to `values - 1`, in bits. */
const bitsFor = (values: number) => 32 - Math.clz32(values - 1)

/** Values of a bit-packed group. */
const groupLength = 8

/** Returns the end of the run of equal values that begins at `from`. */
function endOfRun(values: Uint32Array, from: number, count: number): number {
  const value = values[from]
  let end = from + 1
  while (end < count && values[end] === value) end++
  return end
}

/** Packs values into bytes, the lowest bit of each first; the end of the target is filled with zeros. */
function packBits(values: Uint32Array, bits: number, target: Uint8Array): void {
  let at = 0
  let pending = 0
  let used = 0
  let index = 0
  const to = values.length
  // Most values are levels of one bit.
  if (bits === 1)
    for (; index + groupLength <= to; index += groupLength) {
      let flags = 0
      for (let bit = 0; bit < groupLength; bit++) flags |= uint32At(values, index + bit) << bit
      target[at++] = flags
    }
  for (; index < to; index++) {
    pending |= uint32At(values, index) << used
    used += bits
    while (used >= 8) {
      target[at++] = pending & 0xff
      pending >>>= 8
      used -= 8
    }
  }
  for (; at < target.length; pending >>>= 8) target[at++] = pending & 0xff
}
