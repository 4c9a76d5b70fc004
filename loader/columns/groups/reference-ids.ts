import { charactersOf, type PublishedId } from '../../decode/json/published-number.ts'
import { TextPool } from '../text-pool.ts'

/** Slots for natural numbers that are looked up without their characters, at first and at most. */
const [fewSlots, mostSlots] = [1 << 12, 1 << 20]

/** Slots in which a number is looked for; then it takes the place of another. */
const mostTried = 8

/** The ids of a file's provider references, numbered from 0 at first sight, be it in a price or in a definition. */
export class ReferenceIds {
  readonly texts = new TextPool()
  /** Natural ids in open addressing, and the number of each. */
  #ids = new Float64Array(fewSlots).fill(-1)
  #numbers = new Uint32Array(fewSlots)

  get count(): number {
    return this.texts.count
  }

  /** The number of an id: the same exactly for ids with the same characters. */
  numberOf(id: PublishedId): number {
    return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0
      ? this.numberOfNatural(id)
      : this.texts.add(charactersOf(id))
  }

  /** @param id a natural number of at most 2^53 */
  numberOfNatural(id: number): number {
    const hash = Math.imul(id, 0x9e_37_79_b1) ^ Math.floor(id / 2 ** 32)
    const mask = this.#ids.length - 1
    const first = (hash ^ (hash >>> 15)) & mask
    let slot = first
    for (let tried = 0; tried < mostTried && this.#ids[slot] !== id && this.#ids[slot] !== -1; tried++)
      slot = (slot + 1) & mask
    if (this.#ids[slot] === id) return this.#numbers[slot] ?? 0
    if (this.#ids[slot] !== -1) slot = first
    const number = this.texts.add(String(id))
    const slots = 2 * this.#ids.length
    // With fewer slots, most ids would take those of others.
    if (slots <= mostSlots && 2 * this.count > slots) {
      this.#ids = new Float64Array(slots).fill(-1)
      this.#numbers = new Uint32Array(slots)
      return number
    }
    this.#ids[slot] = id
    this.#numbers[slot] = number
    return number
  }
}
