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

  at(position: number): number {
    return float64At(this.#numbers.items, position)
  }

  /** @returns the position of a number, or `noEntry` */
  find(number: number): number {
    const { items } = this.#numbers
    let position = this.#slots.first(this.#hash(number))
    while (position !== noEntry && items[position] !== number) position = this.#slots.next()
    return position
  }

  /** @returns the position of a number, which is the next one if it is new */
  add(number: number): number {
    const position = this.find(number)
    if (position !== noEntry) return position
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
    this.#slots.rehash((position) => this.#hash(this.at(position)))
  }

  #hash(number: number): number {
    this.#words.clear()
    this.#words.add(number)
    this.#words.add(Math.floor(number / 2 ** 32))
    return this.#words.hash(this.#key)
  }
}
