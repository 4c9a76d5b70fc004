import { at } from '../../schema/at.ts'

/** Bits of the longest code. Source: RFC 1951, 3.2.7. */
export const maxCodeBits = 15

/** Bits by which the first table is looked up. Longer codes have a second table, looked up by the bits that follow. */
const firstBits = 9

/** The lengths do not describe a prefix code. */
export class NotPrefixCode extends Error {}

/**
 * A prefix code of Deflate, looked up by the next bits of the input. Its tables have two levels: a single table for 15
 * bits would have 32,768 entries even for two codes, and an archive can define a new code every 33 bytes.
 *
 * An entry is a symbol and its length, `symbol << 4 | length`, or 0 for bits that begin no code. The entry of a prefix
 * of longer codes is negative: the position of the second table, `-(position << 4 | bits)`.
 */
export class PrefixCode {
  readonly #entries: Int32Array
  readonly #mask: number
  /** Number of entries written to build the tables, by which tests bound the work of a code. */
  readonly work: number

  /**
   * @param lengths the length of each symbol's code in bits, 0 for symbols that do not occur
   * @throws NotPrefixCode if there are more codes of a length than bits allow
   */
  constructor(lengths: readonly number[]) {
    const codes = assignCodes(lengths)
    const longest = codes.reduce((most, { length }) => Math.max(most, length), 0)
    const first = Math.min(longest, firstBits)
    const seconds = measureSecondTables(codes, first)
    const size = [...seconds.values()].reduce((sum, bits) => sum + (1 << bits), 1 << first)
    const entries = new Int32Array(size)
    const positions = new Map<number, number>()
    let end = 1 << first
    let work = size
    for (const [prefix, bits] of seconds) {
      entries[prefix] = -((end << 4) | bits)
      positions.set(prefix, end)
      end += 1 << bits
    }
    for (const { symbol, length, reversed } of codes) {
      const prefix = reversed & ((1 << first) - 1)
      const position = length > first ? positions.get(prefix) : 0
      if (position === undefined) throw new TypeError(`the prefix ${prefix} has no table`)
      const [start, used, bits] =
        length > first ? [reversed >> first, first, seconds.get(prefix)] : [reversed, 0, first]
      if (bits === undefined) throw new TypeError(`the prefix ${prefix} has no size`)
      for (let index = start; index < 1 << bits; index += 1 << (length - used)) {
        entries[position + index] = (symbol << 4) | length
        work += 1
      }
    }
    this.#entries = entries
    this.#mask = (1 << first) - 1
    this.work = work
  }

  /**
   * @param bits the next bits of the input, at least 15, the first in the lowest position
   * @returns `symbol << 4 | length` of the code that they begin with, or 0 if they begin with none
   */
  find(bits: number): number {
    const entries = this.#entries
    const entry = entries[bits & this.#mask]
    if (entry === undefined) throw new TypeError('the first table has an entry for all bits')
    if (entry >= 0) return entry
    const second = entries[(-entry >> 4) + ((bits >> firstBits) & ((1 << (-entry & 15)) - 1))]
    if (second === undefined) throw new TypeError('a second table has an entry for all bits')
    return second
  }
}

interface AssignedCode {
  readonly symbol: number
  readonly length: number
  /** The code, with its first bit in the lowest position, as it comes in the input. */
  readonly reversed: number
}

/** Assigns the codes: codes of a length are consecutive, in the order of their symbols. Source: RFC 1951, 3.2.2. */
function assignCodes(lengths: readonly number[]): readonly AssignedCode[] {
  const counts = new Uint16Array(maxCodeBits + 1)
  for (const length of lengths) if (length > 0) counts[length] = at(counts, length) + 1
  const next = new Uint32Array(maxCodeBits + 1)
  let code = 0
  for (let length = 1; length <= maxCodeBits; length++) {
    next[length] = code
    code += at(counts, length)
    if (code > 1 << length) throw new NotPrefixCode()
    code <<= 1
  }
  const codes: AssignedCode[] = []
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue
    const assigned = next[length]
    if (assigned === undefined) throw new NotPrefixCode()
    codes.push({ symbol, length, reversed: reverseBits(assigned, length) })
    next[length] = assigned + 1
  }
  return codes
}

/** Returns the bits of the second table of each prefix: those of its longest code beyond the first table's. */
function measureSecondTables(codes: readonly AssignedCode[], first: number): ReadonlyMap<number, number> {
  const seconds = new Map<number, number>()
  for (const { length, reversed } of codes) {
    if (length <= first) continue
    const prefix = reversed & ((1 << first) - 1)
    seconds.set(prefix, Math.max(seconds.get(prefix) ?? 0, length - first))
  }
  return seconds
}

function reverseBits(code: number, length: number): number {
  let reversed = 0
  for (let bit = 0; bit < length; bit++) reversed |= ((code >> bit) & 1) << (length - 1 - bit)
  return reversed
}
