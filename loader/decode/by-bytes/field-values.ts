import { isUtf8 } from 'node:buffer'
import { uint8At } from '../../../schema/at.ts'
import { byte, isAt, odd, passScalar, short } from '../json/byte-scan.ts'
import type { HashKey } from '../keyed-hash.ts'
import { parseText } from './parse-slice.ts'

/** A value of a field that was parsed, and the bytes by which it is recognized. */
interface ParsedValue {
  /** Undefined if prices with it must be read the ordinary way. */
  readonly number: number | undefined
  readonly bytes: Buffer
  /** True if the bytes say where the value ends; those of a number do not. */
  readonly endsItself: boolean
}

/** Maximum memory for parsed values, in bytes. Beyond it, all of them are forgotten and parsed again. */
const maxParsedBytes = 1 << 23
/** Memory for the object of a value, in addition to its bytes. */
const objectBytes = 200

/**
 * Reads the values of one field by their bytes, as numbers. Payers write few different values in most fields, in ever
 * new combinations. A value is therefore parsed once, and recognized by its bytes from then on.
 */
export class FieldValues {
  readonly #numberOf: (value: unknown) => number | undefined
  /** The value that was read last. */
  #last: ParsedValue | undefined
  /**
   * One value for each hash of its bytes. The engine hashes the numbers of a map without a seed, but the hash has a
   * secret key, so that no publisher can choose values that collide.
   */
  readonly #byHash = new Map<number, ParsedValue>()
  readonly #firstHash: number
  readonly #factor: number
  #parsedBytes = 0

  /** @param numberOf returns the number of a parsed value; undefined if it must be read the ordinary way */
  constructor(numberOf: (value: unknown) => number | undefined, { low, high }: HashKey) {
    this.#numberOf = numberOf
    this.#firstHash = high
    this.#factor = (low & ~7) | 5
  }

  /**
   * The number of the value that was read last.
   *
   * @throws RangeError unless `read` has just returned a position
   */
  get number(): number {
    const number = this.#last?.number
    if (number === undefined) throw new RangeError('no value of the field has been read')
    return number
  }

  /** @returns the position after the value, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    const last = this.#last
    if (last?.endsItself && start + last.bytes.length <= end && isAt(bytes, start, last.bytes))
      return last.number === undefined ? odd : start + last.bytes.length
    const factor = this.#factor
    let hash = this.#firstHash
    let depth = 0
    let at = start
    do {
      if (at >= end) return short
      const next = uint8At(bytes, at++)
      hash = Math.imul(hash ^ next, factor)
      if (next === byte.quote) {
        for (let inner = 0; inner !== byte.quote; ) {
          if (at >= end) return short
          inner = uint8At(bytes, at++)
          hash = Math.imul(hash ^ inner, factor)
          if (inner === byte.backslash) {
            if (at >= end) return short
            hash = Math.imul(hash ^ uint8At(bytes, at++), factor)
          }
        }
      } else if (next === byte.bracketOpen || next === byte.braceOpen) depth++
      else if (next === byte.bracketClose || next === byte.braceClose) depth--
      else if (depth === 0) return this.#readScalar(bytes, start, end)
    } while (depth > 0)
    return this.#find(bytes, start, at, hash)
  }

  /** Reads a number, a word such as `null`, or bytes that are not JSON. */
  #readScalar(bytes: Buffer, start: number, end: number): number {
    const stop = passScalar(bytes, start, end)
    const factor = this.#factor
    let hash = this.#firstHash
    for (let at = start; at < stop; at++) hash = Math.imul(hash ^ uint8At(bytes, at), factor)
    return stop < 0 ? stop : this.#find(bytes, start, stop, hash)
  }

  #find(bytes: Buffer, start: number, stop: number, hash: number): number {
    const entry = this.#byHash.get(hash)
    const isEqual = entry !== undefined && entry.bytes.length === stop - start && isAt(bytes, start, entry.bytes)
    this.#last = isEqual ? entry : this.#parse(bytes.subarray(start, stop), hash)
    return this.#last?.number === undefined ? odd : stop
  }

  /** @returns undefined if the bytes are not JSON in UTF-8 */
  #parse(bytes: Buffer, hash: number): ParsedValue | undefined {
    const parsed = isUtf8(bytes) ? parseText(bytes.toString(), true) : undefined
    if (parsed === undefined) return undefined
    const size = bytes.length + objectBytes
    if (this.#parsedBytes + size > maxParsedBytes) {
      this.#byHash.clear()
      this.#parsedBytes = 0
    }
    const first = bytes[0]
    const endsItself = first === byte.quote || first === byte.bracketOpen || first === byte.braceOpen
    const entry = { number: this.#numberOf(parsed.value), bytes: Buffer.from(bytes), endsItself }
    this.#byHash.set(hash, entry)
    this.#parsedBytes += size
    return entry
  }
}
