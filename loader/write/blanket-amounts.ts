import { noEntry } from '../collect/distinct/hash-slots.ts'
import { NumberPool } from '../collect/distinct/number-pool.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'
import { Float64List, Uint32List } from '../decode/number-list.ts'
import type { GroupsOfRates } from './groups-of-rates.ts'

/** For how many billing codes a group has the same amount in the same unit. */
export const blanketCodes = 50

/** Units that are told apart. */
const maxUnits = 4

/** Finds amounts that a group has for many billing codes. Most are ruled out before any group is looked at. */
export class BlanketAmounts {
  /** How many prices have some groups with their amount for many codes, and some without. */
  divided = 0
  readonly #groups: GroupsOfRates
  // By price that was added: its amount and unit as one number, and what it is of.
  readonly #amounts = new Float64List()
  readonly #codes = new Uint32List()
  readonly #prices = new Uint32List()
  readonly #rates = new Uint32List()
  /** By price: the number of its amount if some group has it for many codes, else 0. */
  readonly #numberOf: Uint32Array
  /** The numbers of such amounts, each with one of the groups. */
  readonly #found: NumberPool
  /** Those of which there may be enough, by their place. */
  readonly #candidates: NumberPool

  /** @param prices how many there are */
  constructor(prices: number, groups: GroupsOfRates, newSeed: NewSeed) {
    this.#found = new NumberPool(newSeed)
    this.#candidates = new NumberPool(newSeed)
    this.#groups = groups
    this.#numberOf = new Uint32Array(prices)
  }

  /** Slots of the hash tables that were looked at so far. */
  get probes(): number {
    return this.#found.probes + this.#candidates.probes
  }

  /** Adds a price, in the order of the codes. Prices of groups with too few of them may be left out. */
  add(price: number, rate: number, code: number, amount: number, unit: number): void {
    this.#prices.push(price)
    this.#rates.push(rate)
    this.#codes.push(code)
    this.#amounts.push(amount * maxUnits + unit)
  }

  /** Judges the prices that were added. */
  judge(): void {
    const { keyCount } = this.#groups
    const [lastCodes, counts] = [new Uint32Array(keyCount), new Uint32Array(keyCount)]
    const seen = new Uint32List()
    for (const [index, places] of this.#findCandidates().entries()) {
      for (const at of places) {
        const code = (this.#codes.items[at] ?? 0) + 1
        const count = this.#groups.list(this.#rates.items[at] ?? 0)
        for (let place = 0; place < count; place++) {
          const group = this.#groups.listed[place] ?? 0
          if (lastCodes[group] === code) continue
          lastCodes[group] = code
          if (counts[group] === 0) seen.push(group)
          counts[group] = (counts[group] ?? 0) + 1
        }
      }
      const groups = seen.view().filter((group) => (counts[group] ?? 0) >= blanketCodes)
      for (const group of groups) this.#found.add((index + 1) * keyCount + group)
      if (groups.length > 0) for (const at of places) this.#note(at, index + 1)
      for (const group of seen.view()) lastCodes[group] = counts[group] = 0
      seen.length = 0
    }
  }

  /**
   * Moves the listed groups that have the amount of a price for many codes behind the others.
   *
   * @returns how many others
   */
  divide(price: number, count: number): number {
    const number = this.#numberOf[price] ?? 0
    if (number === 0) return count
    const { listed, keyCount } = this.#groups
    let others = 0
    for (let place = 0; place < count; place++) {
      const group = listed[place] ?? 0
      if (this.#found.find(number * keyCount + group) !== noEntry) continue
      listed[place] = listed[others] ?? 0
      listed[others++] = group
    }
    return others
  }

  /** @param at where a price was added whose amount is blanket for some group, by the number of its amount */
  #note(at: number, number: number): void {
    const price = this.#prices.items[at] ?? 0
    this.#numberOf[price] = number
    const count = this.#groups.list(this.#rates.items[at] ?? 0)
    const others = this.divide(price, count)
    if (others > 0 && others < count) this.divided++
  }

  /** The prices of each amount that may be blanket. */
  #findCandidates(): readonly (readonly number[])[] {
    const sorted = this.#amounts.view().slice().sort()
    const candidates: number[][] = []
    for (let at = blanketCodes - 1; at < sorted.length; at++) {
      const amount = sorted[at] ?? 0
      if (amount === sorted[at - blanketCodes + 1] && this.#candidates.add(amount) === candidates.length)
        candidates.push([])
    }
    if (candidates.length === 0) return candidates
    for (let at = 0; at < this.#amounts.length; at++)
      candidates[this.#candidates.find(this.#amounts.items[at] ?? 0)]?.push(at)
    return candidates.filter((places) => this.#countCodes(places) >= blanketCodes)
  }

  /** How many codes prices have that were added at these places, in the order of the codes. */
  #countCodes(places: readonly number[]): number {
    const codes = this.#codes.items
    let count = 0
    for (const [index, at] of places.entries()) if (codes[at] !== codes[places[index - 1] ?? -1]) count++
    return count
  }
}
