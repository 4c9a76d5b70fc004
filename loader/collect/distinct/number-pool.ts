import { float64At } from '../../../schema/at.ts'
import { HashedWords, type NewSeed, RenewableKey } from '../../decode/keyed-hash.ts'
import { Float64List } from '../../decode/number-list.ts'
import { HashSlots, noEntry } from './hash-slots.ts'

/**
 * Distinct whole numbers that a publisher chose, numbered from 0. The engine's own maps hash numbers without a seed, so
 * a file could choose numbers that collide.
 */
export class NumberPool {
  readonly #numbers = new Float64List()
  readonly #slots = new HashSlots()
  readonly #words = new HashedWords()
  readonly #key: RenewableKey

  constructor(newSeed: NewSeed) {
    this.#key = new RenewableKey(newSeed)
  }

  get count(): number {
    return this.#numbers.length
  }

  /** Number of slots of the hash table that were examined so far. */
  get probes(): number {
    return this.#slots.probes
  }

  at(place: number): number {
    return float64At(this.#numbers.items, place)
  }

  /** @returns the place of a number, or `noEntry` */
  find(number: number): number {
    const { items } = this.#numbers
    let place = this.#slots.first(this.#hash(number))
    while (place !== noEntry && items[place] !== number) place = this.#slots.next()
    return place
  }

  /** @returns the place of a number, which is the next one if it is new */
  add(number: number): number {
    const place = this.find(number)
    if (place !== noEntry) return place
    this.#slots.add(this.count)
    this.#numbers.push(number)
    if (this.#slots.isCrowded) this.#rehash()
    return this.count - 1
  }

  clear(): void {
    this.#numbers.length = 0
    this.#slots.clear()
  }

  #rehash(): void {
    this.#key.renew()
    this.#slots.rehash((place) => this.#hash(this.at(place)))
  }

  #hash(number: number): number {
    this.#words.clear()
    this.#words.add(number)
    this.#words.add(Math.floor(number / 2 ** 32))
    return this.#words.hash(this.#key)
  }
}
