/** Maximum width of a value in bits; a dictionary of 16 million terms needs 24. */
const maxWidth = 24

/**
 * Reads small numbers in runs: one number repeated, or numbers packed into bits. It can stop at any number and continue
 * later, so it allocates for the numbers to return, never for the numbers that a run claims to have.
 * Source: Apache Parquet, "Run Length Encoding / Bit-Packing Hybrid".
 */
export class RunReader {
  readonly #view: DataView
  readonly #end: number
  readonly #width: number
  #offset: number
  /** Number of numbers that were not read yet. */
  #left: number
  /** The run that is being read. */
  #run: Run = { isPacked: false, left: 0, number: 0 }

  /**
   * @param span the first byte of the runs, and the byte after the last one
   * @param width bits of a number; numbers of zero bits are 0 and take no bytes
   * @param count number of numbers in all
   * @throws RangeError if the width is too large
   */
  constructor(bytes: Uint8Array, span: readonly [start: number, end: number], width: number, count: number) {
    if (width > maxWidth) throw new RangeError(`numbers of ${width} bits`)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#width = width
    this.#left = count
    const [start, end] = span
    this.#offset = start
    this.#end = Math.min(end, bytes.length)
  }

  /**
   * Reads the next numbers.
   *
   * @throws RangeError if the bytes do not hold them, or a run is longer than the remaining numbers
   */
  take(count: number): Int32Array {
    if (count > this.#left) throw new RangeError(`${count} numbers of ${this.#left}`)
    const numbers = new Int32Array(count)
    for (let place = 0; this.#width > 0 && place < count; ) {
      while (this.#run.left === 0) this.#run = this.#readRun(this.#left - place)
      const part = Math.min(this.#run.left, count - place)
      if (this.#run.isPacked) this.#unpack(numbers, place, part, this.#run)
      else numbers.fill(this.#run.number, place, place + part)
      this.#run.left -= part
      place += part
    }
    this.#left -= count
    return numbers
  }

  #readRun(left: number): Run {
    const header = this.#readVarint()
    const isPacked = header % 2 === 1
    const count = Math.floor(header / 2)
    if (isPacked) {
      const packed = { isPacked, left: count * 8, bit: this.#offset * 8 } as const
      this.#offset += count * this.#width
      return packed
    }
    if (count > left) throw new RangeError(`a run of ${count} numbers where ${left} are left`)
    let number = 0
    for (let shift = 0; shift < this.#width; shift += 8) number |= this.#readByte() << shift
    return { isPacked, left: count, number }
  }

  #unpack(numbers: Int32Array, from: number, count: number, run: PackedRun): void {
    const width = this.#width
    if (run.bit + count * width > this.#end * 8) throw new RangeError('packed numbers that end early')
    const mask = 2 ** width - 1
    for (let index = from; index < from + count; index++, run.bit += width) {
      const shift = run.bit & 7
      let word = 0
      // At most four bytes: 24 bits that begin within the first.
      for (let byte = 0; byte * 8 < shift + width; byte++)
        word |= this.#view.getUint8((run.bit >>> 3) + byte) << (byte * 8)
      numbers[index] = (word >>> shift) & mask
    }
  }

  #readVarint(): number {
    for (let value = 0, factor = 1; factor < 2 ** 35; factor *= 128) {
      const byte = this.#readByte()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw new RangeError('a run whose length does not end')
  }

  #readByte(): number {
    if (this.#offset >= this.#end) throw new RangeError('runs that end early')
    return this.#view.getUint8(this.#offset++)
  }
}

type Run = { readonly isPacked: false; readonly number: number; left: number } | PackedRun

interface PackedRun {
  readonly isPacked: true
  left: number
  /** Position of its next number, in bits. */
  bit: number
}
