/**
 * The bytes of the page that is being written. Pages are compressed one by one, and new memory for each would cost
 * more.
 */
let room = Buffer.alloc(0)

/**
 * A data page: levels, and indexes of a dictionary or values. It is valid until the next one is made. Source: Apache
 * Parquet format, data page version 1.
 */
export class DataPage {
  #bytes: Buffer
  #length = 0

  /** @param values how many it has, with those that are not there */
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
    for (let at = 0; at < count; ) {
      const end = endOfRun(values, at, count)
      if (end - at < shortestRun) {
        at += groupLength
        continue
      }
      if (at > packedFrom) this.#addPacked(values, packedFrom, at, bits)
      this.#addRun(values[at] ?? 0, end - at, bits)
      packedFrom = end
      at = end
    }
    if (count > packedFrom) this.#addPacked(values, packedFrom, count, bits)
  }

  #addRun(value: number, count: number, bits: number): void {
    this.#addVarint(count * 2)
    for (let shift = 0; shift < bits; shift += 8) this.#bytes[this.#length++] = (value >>> shift) & 0xff
  }

  /** The last group is filled up with zeros. */
  #addPacked(values: Uint32Array, from: number, to: number, bits: number): void {
    const groups = Math.ceil((to - from) / groupLength)
    this.#addVarint(groups * 2 + 1)
    const end = this.#length + groups * bits
    packBits(values, from, to, bits, this.#bytes.subarray(this.#length, end))
    this.#length = end
  }

  #addVarint(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
    this.#bytes[this.#length++] = rest
  }
}

/** Bytes that a value takes at most: an index of 24 bits and two levels. */
const mostBytes = 6

/** Values in a run from which it is shorter as a run than bit-packed. */
const shortestRun = 16

/** Bits that tell so many values apart. */
const bitsFor = (values: number) => 32 - Math.clz32(values - 1)

/** Values of a bit-packed group. */
const groupLength = 8

/** Where the values end that are the same as the one at `from`. */
function endOfRun(values: Uint32Array, from: number, count: number): number {
  const value = values[from]
  let end = from + 1
  while (end < count && values[end] === value) end++
  return end
}

function packBits(values: Uint32Array, from: number, to: number, bits: number, target: Uint8Array): void {
  let at = 0
  let pending = 0
  let used = 0
  let index = from
  // Most are levels, of one bit.
  if (bits === 1)
    for (; index + groupLength <= to; index += groupLength) {
      let flags = 0
      for (let bit = 0; bit < groupLength; bit++) flags |= (values[index + bit] ?? 0) << bit
      target[at++] = flags
    }
  for (; index < to; index++) {
    pending |= (values[index] ?? 0) << used
    used += bits
    while (used >= 8) {
      target[at++] = pending & 0xff
      pending >>>= 8
      used -= 8
    }
  }
  for (; at < target.length; pending >>>= 8) target[at++] = pending & 0xff
}
