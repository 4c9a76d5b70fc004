import { uint32At } from '../../../schema/at.ts'
import { charactersOf, type PublishedId } from '../../decode/json/published-number.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { TextPool } from '../distinct/text-pool.ts'

/** Initial and maximum number of slots for natural numbers, which are found without comparing their characters. */
const [fewSlots, mostSlots] = [1 << 12, 1 << 20]

/** Maximum number of slots that a search examines. If all are taken, a new number replaces another. */
const mostTried = 8

/**
 * The ids of a file's provider references, numbered from 0 in the order in which prices and definitions first name
 * them.
 */
export class ReferenceIds {
  readonly texts: TextPool
  /** By slot: a natural id, or -1; and its number. */
  #ids = new Float64Array(fewSlots).fill(-1)
  #numbers = new Uint32Array(fewSlots)

  constructor(newSeed: NewSeed) {
    this.texts = new TextPool(newSeed)
  }

  get count(): number {
    return this.texts.count
  }

  /** Returns the number of an id. Two ids have the same number exactly if they have the same characters. */
  numberOf(id: PublishedId): number {
    return this.texts.add(charactersOf(id))
  }

  /**
   * Returns the number of an id as `numberOf` does, but without comparing the digits of most ids.
   *
   * @param id value of the digits from `start` to `end`, a natural number of at most 2^53
   */
  numberOfNatural(id: number, digits: Uint8Array, start: number, end: number): number {
    const hash = Math.imul(id, 0x9e_37_79_b1) ^ Math.floor(id / 2 ** 32)
    const mask = this.#ids.length - 1
    const first = (hash ^ (hash >>> 15)) & mask
    let slot = first
    for (let tried = 0; tried < mostTried && this.#ids[slot] !== id && this.#ids[slot] !== -1; tried++)
      slot = (slot + 1) & mask
    if (this.#ids[slot] === id) return uint32At(this.#numbers, slot)
    if (this.#ids[slot] !== -1) slot = first
    const number = this.texts.addBytes(digits, start, end)
    const slots = 2 * this.#ids.length
    // With too few slots, ids would replace each other again and again.
    if (slots <= mostSlots && 4 * this.count > slots) {
      this.#ids = new Float64Array(slots).fill(-1)
      this.#numbers = new Uint32Array(slots)
      return number
    }
    this.#ids[slot] = id
    this.#numbers[slot] = number
    return number
  }
}
