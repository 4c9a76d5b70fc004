/**
 * 32-bit integers that are appended one by one. Apart from `Float64List`, so that the loops over either have one type of
 * array.
 */
export class Uint32List {
  items = new Uint32Array(initialLength)
  length = 0

  push(value: number): void {
    const at = this.extend(1)
    this.items[at] = value
  }

  /** Makes room for items that the caller sets. @returns where they begin */
  extend(count: number): number {
    const start = this.length
    this.length += count
    if (this.length > this.items.length) {
      const grown = new Uint32Array(2 * this.length)
      grown.set(this.items)
      this.items = grown
    }
    return start
  }

  /** The items, valid until others are added. */
  view(): Uint32Array<ArrayBuffer> {
    return this.items.subarray(0, this.length)
  }

  /** Takes an array as its items, to which nothing is added. */
  restore(items: Uint32Array<ArrayBuffer>): void {
    this.items = items
    this.length = items.length
  }
}

/** Numbers that are appended one by one. */
export class Float64List {
  items = new Float64Array(initialLength)
  length = 0

  push(value: number): void {
    if (this.length === this.items.length) {
      const grown = new Float64Array(2 * this.length)
      grown.set(this.items)
      this.items = grown
    }
    this.items[this.length++] = value
  }

  /** The items, valid until others are added. */
  view(): Float64Array<ArrayBuffer> {
    return this.items.subarray(0, this.length)
  }

  /** Takes an array as its items, to which nothing is added. */
  restore(items: Float64Array<ArrayBuffer>): void {
    this.items = items
    this.length = items.length
  }
}

const initialLength = 256
