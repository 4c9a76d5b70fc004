import { uint8At } from '../../schema/at.ts'

/** Returns 32 random bits. They change which entries of a hash table collide, but not its content. */
export type NewSeed = () => number

/** The key of a hash: two words of 32 bits. */
export interface HashKey {
  readonly low: number
  readonly high: number
}

export const createHashKey = (newSeed: NewSeed): HashKey => ({ low: newSeed() | 0, high: newSeed() | 0 })

/** The key of a hash table, which gets another one when its entries collide. */
export class RenewableKey implements HashKey {
  low = 0
  high = 0
  readonly #newSeed: NewSeed

  constructor(newSeed: NewSeed) {
    this.#newSeed = newSeed
    this.renew()
  }

  /** Changes all hashes. */
  renew(): void {
    this.low = this.#newSeed() | 0
    this.high = this.#newSeed() | 0
  }
}

/**
 * Hashes bytes that a publisher chose. The key decides which texts collide, so a file that was made to collide in one
 * process does not in another. A hash that only begins with its seed, such as FNV-1a or MurmurHash, has texts that
 * collide under every seed. Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF";
 * HalfSipHash-1-3, which Linux uses for its hash tables.
 *
 * @returns 32 bits
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number, { low, high }: HashKey): number {
  let a = low
  let b = high
  let c = low ^ 0x6c_79_67_65
  let d = high ^ 0x74_65_64_62
  const wordsEnd = end - ((end - start) & 3)
  // One round for each whole word and the last one, and then those that mix without a word.
  const stop = wordsEnd + 4 * lastRounds
  for (let at = start; at <= stop; at += 4) {
    let word = 0
    if (at < wordsEnd) word = readWord(bytes, at)
    else if (at === wordsEnd) word = readLastWord(bytes, at, end, end - start)
    else if (at === wordsEnd + 4) c ^= 0xff
    d ^= word
    a = (a + b) | 0
    b = ((b << 5) | (b >>> 27)) ^ a
    a = (a << 16) | (a >>> 16)
    c = (c + d) | 0
    d = ((d << 8) | (d >>> 24)) ^ c
    a = (a + d) | 0
    d = ((d << 7) | (d >>> 25)) ^ a
    c = (c + b) | 0
    b = ((b << 13) | (b >>> 19)) ^ c
    c = (c << 16) | (c >>> 16)
    a ^= word
  }
  return (b ^ d) >>> 0
}

/** Number of rounds after the last word. */
const lastRounds = 3

function readWord(bytes: Uint8Array, at: number): number {
  return (
    uint8At(bytes, at) | (uint8At(bytes, at + 1) << 8) | (uint8At(bytes, at + 2) << 16) | (uint8At(bytes, at + 3) << 24)
  )
}

/** Returns the last up to three bytes as a word, with the length of all bytes as its highest byte. */
function readLastWord(bytes: Uint8Array, start: number, end: number, length: number): number {
  let word = length << 24
  for (let at = start; at < end; at++) word |= uint8At(bytes, at) << (8 * (at - start))
  return word
}

/** Numbers that are hashed together, such as those of a provider group. */
export class HashedWords {
  #words = new Uint32Array(64)
  #bytes = new Uint8Array(this.#words.buffer)
  #length = 0

  clear(): void {
    this.#length = 0
  }

  /** Adds a whole number of at least 0; only its lowest 32 bits count. */
  add(number: number): void {
    if (this.#length === this.#words.length) this.#enlarge()
    this.#words[this.#length++] = number
  }

  /** @returns 32 bits */
  hash(key: HashKey): number {
    return hashBytes(this.#bytes, 0, 4 * this.#length, key)
  }

  #enlarge(): void {
    const words = new Uint32Array(2 * this.#words.length)
    words.set(this.#words)
    this.#words = words
    this.#bytes = new Uint8Array(words.buffer)
  }
}
