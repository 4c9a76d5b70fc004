import { isUtf8 } from 'node:buffer'
import { uint8At } from '../../../schema/at.ts'
import { byte, isAt, odd, passScalar, short } from '../json/byte-scan.ts'
import type { HashKey } from '../keyed-hash.ts'
import { parseText } from './parse-slice.ts'

/** A value of a field, in the form of its first reading. */
interface KnownValue {
  /** Undefined if prices with it must be read the ordinary way. */
  readonly number: number | undefined
  readonly bytes: Buffer
  /** Whether its bytes say where it ends; those of a number do not. */
  readonly endsItself: boolean
}

/** Bytes of values that are kept, and of the objects for each. When there are more, all are forgotten and read anew. */
const maxKeptBytes = 1 << 23
const objectBytes = 200

/**
 * Reads the values of one field by their bytes, as numbers. Payers write few values of most fields, in ever new
 * combinations, so a value is parsed when it is first met, and known from then on.
 */
export class FieldValues {
  readonly #numberOf: (value: unknown) => number | undefined
  /** The value that was read last. */
  #last: KnownValue | undefined
  /**
   * By a hash of their bytes, of which each has one value. The engine hashes numbers without a seed: without the key, nobody
   * can choose values whose hashes collide in its map.
   */
  readonly #byHash = new Map<number, KnownValue>()
  readonly #firstHash: number
  readonly #factor: number
  #keptBytes = 0

  /** @param numberOf gives a parsed value its number; undefined if it must be read the ordinary way */
  constructor(numberOf: (value: unknown) => number | undefined, { low, high }: HashKey) {
    this.#numberOf = numberOf
    this.#firstHash = high
    this.#factor = (low & ~7) | 5
  }

  /** The number of the value that was read last. */
  get number(): number {
    return this.#last?.number ?? 0
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

  /** Reads a number, a word such as `null`, or what is not JSON. */
  #readScalar(bytes: Buffer, start: number, end: number): number {
    const stop = passScalar(bytes, start, end)
    const factor = this.#factor
    let hash = this.#firstHash
    for (let at = start; at < stop; at++) hash = Math.imul(hash ^ uint8At(bytes, at), factor)
    return stop < 0 ? stop : this.#find(bytes, start, stop, hash)
  }

  #find(bytes: Buffer, start: number, stop: number, hash: number): number {
    const known = this.#byHash.get(hash)
    const isKnown = known !== undefined && known.bytes.length === stop - start && isAt(bytes, start, known.bytes)
    this.#last = isKnown ? known : this.#learn(bytes.subarray(start, stop), hash)
    return this.#last?.number === undefined ? odd : stop
  }

  /** @returns undefined if the bytes are not JSON in UTF-8 */
  #learn(bytes: Buffer, hash: number): KnownValue | undefined {
    const parsed = isUtf8(bytes) ? parseText(bytes.toString(), true) : undefined
    if (parsed === undefined) return undefined
    const size = bytes.length + objectBytes
    if (this.#keptBytes + size > maxKeptBytes) {
      this.#byHash.clear()
      this.#keptBytes = 0
    }
    const first = bytes[0]
    const endsItself = first === byte.quote || first === byte.bracketOpen || first === byte.braceOpen
    const known = { number: this.#numberOf(parsed.value), bytes: Buffer.from(bytes), endsItself }
    this.#byHash.set(hash, known)
    this.#keptBytes += size
    return known
  }
}
