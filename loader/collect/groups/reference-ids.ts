import { uint32At } from '../../../schema/at.ts'
import { charactersOf, type PublishedId } from '../../decode/json/published-number.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { TextPool } from '../distinct/text-pool.ts'

/** Slots for natural numbers that are looked up without their characters, at first and at most. */
const [fewSlots, mostSlots] = [1 << 12, 1 << 20]

/** Slots in which a number is looked for; then it takes the place of another. */
const mostTried = 8

/** The ids of a file's provider references, numbered from 0 at first sight, be it in a price or in a definition. */
export class ReferenceIds {
  readonly texts: TextPool
  /** Natural ids in open addressing, and the number of each. */
  #ids = new Float64Array(fewSlots).fill(-1)
  #numbers = new Uint32Array(fewSlots)

  constructor(newSeed: NewSeed) {
    this.texts = new TextPool(newSeed)
  }

  get count(): number {
    return this.texts.count
  }

  /** The number of an id: the same exactly for ids with the same characters. */
  numberOf(id: PublishedId): number {
    return this.texts.add(charactersOf(id))
  }

  /**
   * As `numberOf`, without a look at the digits of most ids.
   *
   * @param id the natural number of at most 2^53 that these digits stand for
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
    // In fewer slots, ids would take the places of others.
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
