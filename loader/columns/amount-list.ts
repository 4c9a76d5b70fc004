const wordSize = 2 ** 32

/** 64-bit integers that are appended one by one, as numbers or as bigints. */
export class AmountList {
  #items = new BigInt64Array(initialLength)
  /** The low and the high word of each item: every platform of Node is little-endian. */
  #words = new Int32Array(this.#items.buffer)
  length = 0

  /** @param value a number must be an integer of at most 2^53 */
  push(value: number | bigint): void {
    if (this.length === this.#items.length) {
      const grown = new BigInt64Array(2 * this.length)
      grown.set(this.#items)
      this.#items = grown
      this.#words = new Int32Array(grown.buffer)
    }
    if (typeof value === 'bigint') this.#items[this.length] = value
    else {
      this.#words[2 * this.length] = value
      this.#words[2 * this.length + 1] = Math.floor(value / wordSize)
    }
    this.length++
  }

  /** The items, valid until others are added. */
  view(): BigInt64Array {
    return this.#items.subarray(0, this.length)
  }
}

const initialLength = 256
