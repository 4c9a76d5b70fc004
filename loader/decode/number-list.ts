/**
 * Natural numbers of 32 bits that are appended one by one. `Float64List` is a class of its own, so that each loop over
 * numbers meets one type of array.
 */
export class Uint32List {
  items = new Uint32Array(initialLength)
  length = 0

  push(value: number): void {
    const at = this.extend(1)
    this.items[at] = value
  }

  /** Makes room for items that the caller sets. @returns the index of the first of them */
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

  /** Returns the items, valid until others are added. */
  view(): Uint32Array<ArrayBuffer> {
    return this.items.subarray(0, this.length)
  }

  /** Takes an array as the items. Nothing may be added afterwards. */
  restore(items: Uint32Array<ArrayBuffer>): void {
    this.items = items
    this.length = items.length
  }
}

/** Numbers of 64 bits that are appended one by one. */
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

  /** Returns the items, valid until others are added. */
  view(): Float64Array<ArrayBuffer> {
    return this.items.subarray(0, this.length)
  }

  /** Takes an array as the items. Nothing may be added afterwards. */
  restore(items: Float64Array<ArrayBuffer>): void {
    this.items = items
    this.length = items.length
  }
}

const initialLength = 256
