import { uint32At } from '../../../schema/at.ts'
/** In place of the number of an entry, where there is none. */
export const noEntry = -1

/** Slots at first. */
const fewest = 1024

/**
 * Slots looked at in one search, from which the table is crowded: half of them are taken at most, so that even in a hundred
 * million entries of different hashes no search needs more than a hundred.
 */
const mostTried = 256

/**
 * A hash table in open addressing. It holds the numbers and hashes of entries; their owner numbers them from 0, and
 * compares those that have the same hash.
 */
export class HashSlots {
  /** Slots looked at so far, in all searches. */
  probes = 0
  /** Whether hashes by another key are needed: call `rehash`. */
  isCrowded = false
  /** The number of an entry plus 1, or 0. */
  #slots = new Uint32Array(fewest)
  /** By number. */
  #hashes = new Uint32Array(fewest / 2)
  #count = 0
  #mayRehash = true
  // Of the last search.
  #hash = 0
  #slot = 0
  #tried = 0

  /** @returns the number of the first entry with a hash of 32 bits, or `noEntry` */
  first(hash: number): number {
    this.#hash = hash
    this.#slot = hash & (this.#slots.length - 1)
    this.#tried = 0
    return this.#look()
  }

  /** @returns the number of the next entry with the hash of the last search, or `noEntry` */
  next(): number {
    this.#slot = (this.#slot + 1) & (this.#slots.length - 1)
    return this.#look()
  }

  #look(): number {
    const slots = this.#slots
    const hashes = this.#hashes
    const mask = slots.length - 1
    let number: number = noEntry
    let slot = this.#slot
    let tried = 1
    for (; ; tried++) {
      number = uint32At(slots, slot) - 1
      if (number === noEntry || hashes[number] === this.#hash) break
      slot = (slot + 1) & mask
    }
    this.#slot = slot
    this.#tried += tried
    this.probes += tried
    return number
  }

  /** Adds an entry with the hash of the last search, which has ended at `noEntry`. */
  add(number: number): void {
    this.#slots[this.#slot] = number + 1
    if (number >= this.#hashes.length) {
      const hashes = new Uint32Array(2 * number)
      hashes.set(this.#hashes)
      this.#hashes = hashes
    }
    this.#hashes[number] = this.#hash
    if (this.#tried > mostTried && this.#mayRehash) this.isCrowded = true
    if (2 * ++this.#count >= this.#slots.length) {
      // Once for each size: if a new key does not help, the entries are not to blame for their collisions.
      this.#mayRehash = true
      this.#rebuild(2 * this.#slots.length)
    }
  }

  /** Gives all entries other hashes, by their numbers. */
  rehash(hashOf: (number: number) => number): void {
    for (const entry of this.#slots) if (entry > 0) this.#hashes[entry - 1] = hashOf(entry - 1)
    this.isCrowded = false
    this.#mayRehash = false
    this.#rebuild(this.#slots.length)
  }

  clear(): void {
    this.#slots.fill(0)
    this.#count = 0
    this.isCrowded = false
  }

  #rebuild(size: number): void {
    const entries = this.#slots
    const slots = new Uint32Array(size)
    const mask = size - 1
    for (const entry of entries) {
      if (entry === 0) continue
      let slot = uint32At(this.#hashes, entry - 1) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = entry
    }
    this.#slots = slots
  }
}
