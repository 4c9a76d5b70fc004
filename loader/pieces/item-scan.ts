import { byte } from '../json/byte-scan.ts'

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
 * first byte on, so that a boundary is never guessed. Whoever parses the elements, and the text around them, checks them.
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
    const end = chunk.length
    let at = this.#escaped
    let depth = this.#depth
    let isInString = this.#isInString
    let start = 0
    while (at < end) {
      if (!isInString) {
        const next = chunk[at++] ?? 0
        if (next === byte.quote) {
          isInString = true
          start = at
          if (depth === 1) this.#name = Buffer.alloc(0)
        } else if (next >= byte.bracketOpen) {
          // Brackets and braces differ in one bit.
          const bracket = next & ~0x20
          if (bracket === byte.bracketOpen) {
            if (depth === 1 && next === byte.bracketOpen) this.#open(this.#offset + at)
            depth++
          } else if (bracket === byte.bracketClose) {
            depth--
            if (depth === 1) this.#close(this.#offset + at - 1, ranges)
          }
        } else if (next === byte.comma && depth === 2) this.#pass(this.#offset + at - 1, ranges)
        continue
      }
      while (at < end) {
        const next = chunk[at++]
        if (next === byte.quote) {
          isInString = false
          break
        }
        if (next === byte.backslash) at++
      }
      if (depth === 1) this.#note(chunk.subarray(start, isInString ? end : at - 1))
    }
    this.#escaped = at - end
    this.#depth = depth
    this.#isInString = isInString
    this.#offset += end
    return ranges
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

const itemsName = Buffer.from('in_network')
const referencesName = Buffer.from('provider_references')

/** Longer than these names. */
const maxName = 32
