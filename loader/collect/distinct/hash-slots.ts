import { uint32At } from '../../../schema/at.ts'

/** Stands for the number of an entry where a slot has none. */
export const noEntry = -1

/** Number of slots of a new table. */
const initialSlots = 1024

/**
 * Maximum number of slots that a search examines before the table counts as crowded. At most half of the slots are
 * taken, so even among a hundred million entries with random hashes, no search needs more than a hundred.
 */
const mostTried = 256

/**
 * A hash table in open addressing. It holds the numbers and hashes of entries. Their owner numbers them from 0, and
 * compares entries with the same hash.
 */
export class HashSlots {
  /** Number of slots examined so far, in all searches. */
  probes = 0
  /** True if the entries need hashes by another key: call `rehash`. */
  isCrowded = false
  /** By slot: the number of its entry plus 1; 0 if it is free. */
  #slots = new Uint32Array(initialSlots)
  /** By number of the entry. */
  #hashes = new Uint32Array(initialSlots / 2)
  #count = 0
  #mayRehash = true
  // The last search: its hash, its slot, and how many slots it has examined.
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

  /** Replaces the hashes of all entries. @param hashOf returns the hash of an entry by its number */
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
