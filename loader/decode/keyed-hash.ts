import { uint8At } from '../../schema/at.ts'
/** Gives 32 random bits. With other bits a hash table has other collisions, and the same content. */
export type NewSeed = () => number

/** The key of a hash: two words of 32 bits. */
export interface HashKey {
  readonly low: number
  readonly high: number
}

export const createHashKey = (newSeed: NewSeed): HashKey => ({ low: newSeed() | 0, high: newSeed() | 0 })

/**
 * Hashes bytes that a publisher chose. Which texts collide depends on the key, so a file that was made to collide in one
 * process does not in another. A hash that only begins with its seed, such as FNV-1a or MurmurHash, has collisions for every
 * seed. Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF"; HalfSipHash-1-3, which Linux uses
 * for its hash tables.
 *
 * @returns 32 bits
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number, { low, high }: HashKey): number {
  let a = low
  let b = high
  let c = low ^ 0x6c_79_67_65
  let d = high ^ 0x74_65_64_62
  const rest = end - ((end - start) & 3)
  for (let at = start; ; at += 4) {
    const word = at < rest ? readWord(bytes, at) : readLastWord(bytes, at, end, end - start)
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
    if (at >= rest) break
  }
  c ^= 0xff
  for (let round = 0; round < lastRounds; round++) {
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
  }
  return (b ^ d) >>> 0
}

const lastRounds = 3

function readWord(bytes: Uint8Array, at: number): number {
  return (
    uint8At(bytes, at) | (uint8At(bytes, at + 1) << 8) | (uint8At(bytes, at + 2) << 16) | (uint8At(bytes, at + 3) << 24)
  )
}

/** The up to three bytes that are left, with the length of all above them. */
function readLastWord(bytes: Uint8Array, start: number, end: number, length: number): number {
  let word = length << 24
  for (let at = start; at < end; at++) word |= uint8At(bytes, at) << (8 * (at - start))
  return word
}

/** Numbers that are hashed as one, such as those of a provider group. */
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
