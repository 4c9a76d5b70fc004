/** Elements of the `in_network` array of a file. */
export interface ItemRange {
  /** The position of the first byte after the bracket or comma before the elements. */
  readonly from: number
  /** The position of the comma or bracket after them. */
  readonly to: number
  /** How many elements the array has before them. */
  readonly firstItem: number
}

/**
 * Finds the elements of a file's `in_network` array without parsing it: it follows only strings and brackets, from the
 * first byte on, so that a boundary is never guessed. That the text is JSON is checked by those who parse it.
 */
export class ItemScan {
  /** The position of the array's first byte after its bracket; undefined before it is found. */
  itemsFrom: number | undefined
  /** The position of the array's closing bracket; undefined before it is found. */
  itemsTo: number | undefined
  /** Whether the file has provider references before the array. */
  hasReferencesBefore = false
  readonly #targetOf: (from: number) => number
  #target = 0
  #from = 0
  #firstItem = 0
  /** The commas of the array so far. */
  #commas = 0
  /** Where the next chunk begins in the file. */
  #offset = 0
  #depth = 0
  #isInString = false
  /** Bytes of the next chunk that belong to an escape. */
  #escaped = 0
  /** The last string at the level of the root: the name of a field before a colon. */
  #name: Buffer = Buffer.alloc(0)

  /** @param targetOf gives the position from which the range that begins at a position may end */
  constructor(targetOf: (from: number) => number) {
    this.#targetOf = targetOf
  }

  /** Whether the file can end here. */
  get isComplete(): boolean {
    return this.#depth === 0 && !this.#isInString && this.itemsTo !== undefined
  }

  /** Continues with the next bytes of the file. Returns the ranges that end in them. */
  take(chunk: Buffer): readonly ItemRange[] {
    const ranges: ItemRange[] = []
    let at = Math.min(this.#escaped, chunk.length)
    this.#escaped -= at
    if (this.#isInString && at < chunk.length) at = this.#passString(chunk, at)
    while (at < chunk.length) at = this.#depth > 2 ? this.#passNested(chunk, at) : this.#passOne(chunk, at, ranges)
    this.#offset += chunk.length
    return ranges
  }

  /** Passes what is inside an element of an array at the root, to its end or that of the chunk. This loop takes the time. */
  #passNested(bytes: Buffer, start: number): number {
    const end = bytes.length
    let at = start
    let depth = this.#depth
    while (at < end) {
      const next = bytes[at++] ?? 0
      if (next === quote) {
        let isInString = true
        while (at < end) {
          const character = bytes[at++]
          if (character === quote) {
            isInString = false
            break
          }
          if (character === backslash) at++
        }
        this.#isInString = isInString
      } else if (next >= opening) {
        // Brackets and braces differ in one bit: [ { open and ] } close.
        const bracket = next & ~0x20
        if (bracket === opening) depth++
        else if (bracket === closing && --depth === 2) break
      }
    }
    this.#depth = depth
    this.#escaped = Math.max(0, at - end)
    return at
  }

  /** Passes a string or one byte at the level of the root or of its arrays. */
  #passOne(bytes: Buffer, at: number, ranges: ItemRange[]): number {
    const next = bytes[at] ?? 0
    const place = this.#offset + at
    const bracket = next & ~0x20
    if (next === quote) {
      this.#name = Buffer.alloc(0)
      this.#isInString = true
      return this.#passString(bytes, at + 1)
    }
    if (bracket === opening) {
      if (this.#depth === 1 && next === opening) this.#open(place + 1)
      this.#depth++
    } else if (bracket === closing) {
      this.#depth--
      if (this.#depth === 1) this.#close(place, ranges)
    } else if (next === comma && this.#depth === 2) this.#pass(place, ranges)
    return at + 1
  }

  /** Passes the rest of a string, which may be the name of a field of the root. */
  #passString(bytes: Buffer, start: number): number {
    const end = bytes.length
    let at = start
    while (at < end && this.#isInString) {
      const next = bytes[at++]
      if (next === quote) this.#isInString = false
      else if (next === backslash) at++
    }
    this.#escaped = Math.max(0, at - end)
    if (this.#depth === 1) this.#note(bytes.subarray(start, this.#isInString ? end : at - 1))
    return at
  }

  #note(bytes: Buffer): void {
    if (this.#name.length <= maxName) this.#name = Buffer.concat([this.#name, bytes])
    if (this.itemsFrom === undefined && this.#name.equals(referencesName)) this.hasReferencesBefore = true
  }

  /** An array begins at the level of the root. */
  #open(after: number): void {
    if (this.itemsFrom !== undefined || !this.#name.equals(itemsName)) return
    this.itemsFrom = after
    this.#begin(after)
  }

  #begin(from: number): void {
    this.#from = from
    this.#firstItem = this.#commas
    this.#target = this.#targetOf(from)
  }

  #pass(comma: number, ranges: ItemRange[]): void {
    if (this.itemsFrom === undefined || this.itemsTo !== undefined) return
    this.#commas++
    if (comma < this.#target) return
    ranges.push({ from: this.#from, to: comma, firstItem: this.#firstItem })
    this.#begin(comma + 1)
  }

  #close(bracket: number, ranges: ItemRange[]): void {
    if (this.itemsFrom === undefined || this.itemsTo !== undefined) return
    this.itemsTo = bracket
    ranges.push({ from: this.#from, to: bracket, firstItem: this.#firstItem })
  }
}

// Not from another module: the loop takes a third longer then.
const quote = 0x22
const comma = 0x2c
const opening = 0x5b
const backslash = 0x5c
const closing = 0x5d

const itemsName = Buffer.from('in_network')
const referencesName = Buffer.from('provider_references')

/** Longer than these names. */
const maxName = 32
