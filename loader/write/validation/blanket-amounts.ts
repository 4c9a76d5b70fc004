import { float64At, uint32At } from '../../../schema/at.ts'
import { noEntry } from '../../collect/distinct/hash-slots.ts'
import { NumberPool } from '../../collect/distinct/number-pool.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { Float64List, Uint32List } from '../../decode/number-list.ts'
import type { GroupsOfRates } from '../groups-of-rates.ts'

/** Billing codes from which an amount that a group has in one unit is blanket. */
export const blanketCodes = 50

/** Number of units that an amount can have. */
const maxUnits = 4

/** An amount in a unit as one number: equal for equal amounts in the same unit. */
export const amountInUnit = (amount: number, unit: number) => amount * maxUnits + unit

/**
 * Finds amounts that a group has for many billing codes. Most amounts have too few prices, which shows before the
 * groups of any price are listed.
 */
export class BlanketAmounts {
  /** Number of prices whose amount is blanket for a part of their groups: each of these prices has two rows. */
  divided = 0
  readonly #groups: GroupsOfRates
  // By the place at which a price was added.
  readonly #amounts = new Float64List()
  readonly #codes = new Uint32List()
  readonly #prices = new Uint32List()
  readonly #rates = new Uint32List()
  /** By price: the number of its amount, from 1, if it is blanket for one of its groups; else 0. */
  readonly #amountNumbers: Uint32Array
  /** Numbers of amounts, each joined with a group for which the amount is blanket. */
  readonly #blanketPairs: NumberPool
  /** Amounts that enough prices have, in the order in which their lists of prices are made. */
  readonly #candidates: NumberPool

  /** @param prices number of prices of the portion */
  constructor(prices: number, groups: GroupsOfRates, newSeed: NewSeed) {
    this.#blanketPairs = new NumberPool(newSeed)
    this.#candidates = new NumberPool(newSeed)
    this.#groups = groups
    this.#amountNumbers = new Uint32Array(prices)
  }

  /** Number of slots of the hash tables that were looked at so far. */
  get probes(): number {
    return this.#blanketPairs.probes + this.#candidates.probes
  }

  /**
   * Adds a price, in the order of the codes. Prices whose groups all have too few prices may be omitted.
   *
   * @param amount as `amountInUnit` returns it
   */
  add(price: number, rate: number, code: number, amount: number): void {
    this.#prices.push(price)
    this.#rates.push(rate)
    this.#codes.push(code)
    this.#amounts.push(amount)
  }

  /** Finds the blanket amounts among the added prices. */
  find(): void {
    const counter = new CodeCounter(this.#groups.keyCount)
    for (const [index, places] of this.#findCandidates().entries()) {
      for (const place of places) {
        const count = this.#groups.list(uint32At(this.#rates.items, place))
        counter.add(this.#groups.rateKeys, count, uint32At(this.#codes.items, place))
      }
      const blanketGroups = counter.take(blanketCodes)
      if (blanketGroups.length === 0) continue
      const amountNumber = index + 1
      for (const group of blanketGroups) this.#blanketPairs.add(this.#pairOf(amountNumber, group))
      for (const place of places) this.#note(place, amountNumber)
    }
  }

  /**
   * Moves the listed groups for which the amount of a price is blanket behind the other listed groups.
   *
   * @param count number of groups in the list
   * @returns number of the other groups, which come first
   */
  divide(price: number, count: number): number {
    const amountNumber = uint32At(this.#amountNumbers, price)
    if (amountNumber === 0) return count
    const { rateKeys } = this.#groups
    let ordinary = 0
    for (let place = 0; place < count; place++) {
      const group = uint32At(rateKeys, place)
      if (this.#blanketPairs.find(this.#pairOf(amountNumber, group)) !== noEntry) continue
      rateKeys[place] = uint32At(rateKeys, ordinary)
      rateKeys[ordinary++] = group
    }
    return ordinary
  }

  /** An amount and a group as one number. */
  #pairOf(amountNumber: number, group: number): number {
    return amountNumber * this.#groups.keyCount + group
  }

  /** Notes that the amount of an added price is blanket for some group, which need not be one of the price's groups. */
  #note(place: number, amountNumber: number): void {
    const price = uint32At(this.#prices.items, place)
    this.#amountNumbers[price] = amountNumber
    const count = this.#groups.list(uint32At(this.#rates.items, place))
    const ordinary = this.divide(price, count)
    if (ordinary > 0 && ordinary < count) this.divided++
  }

  /** Returns the places of the prices of each amount that may be blanket. */
  #findCandidates(): readonly (readonly number[])[] {
    const sorted = this.#amounts.view().slice().sort()
    const candidates: number[][] = []
    for (let last = blanketCodes - 1; last < sorted.length; last++) {
      const amount = float64At(sorted, last)
      if (amount !== float64At(sorted, last - blanketCodes + 1)) continue
      if (this.#candidates.add(amount) === candidates.length) candidates.push([])
    }
    if (candidates.length === 0) return candidates
    for (let place = 0; place < this.#amounts.length; place++)
      candidates[this.#candidates.find(float64At(this.#amounts.items, place))]?.push(place)
    return candidates.filter((places) => this.#countCodes(places) >= blanketCodes)
  }

  /** Counts the billing codes of added prices. */
  #countCodes(places: readonly number[]): number {
    let lastCode = -1
    let count = 0
    for (const place of places) {
      const code = uint32At(this.#codes.items, place)
      if (code !== lastCode) count++
      lastCode = code
    }
    return count
  }
}

/** Counts the billing codes of provider groups. */
class CodeCounter {
  /** By group: one more than its last code; 0 before its first. */
  readonly #lastCodes: Uint32Array
  readonly #counts: Uint32Array
  /** The groups that have a code. */
  readonly #countedGroups = new Uint32List()

  /** @param groupCount number of groups */
  constructor(groupCount: number) {
    this.#lastCodes = new Uint32Array(groupCount)
    this.#counts = new Uint32Array(groupCount)
  }

  /**
   * Counts a code for each group that does not have it yet. The codes of a count come in order.
   *
   * @param count number of groups at the start of the array
   */
  add(groups: Uint32Array, count: number, code: number): void {
    for (let place = 0; place < count; place++) {
      const group = uint32At(groups, place)
      if (uint32At(this.#lastCodes, group) === code + 1) continue
      this.#lastCodes[group] = code + 1
      const codes = uint32At(this.#counts, group)
      if (codes === 0) this.#countedGroups.push(group)
      this.#counts[group] = codes + 1
    }
  }

  /** Ends the count and begins the next one. @returns the groups with at least `least` codes */
  take(least: number): Uint32Array {
    const counted = this.#countedGroups.view()
    const groups = counted.filter((group) => uint32At(this.#counts, group) >= least)
    for (const group of counted) {
      this.#lastCodes[group] = 0
      this.#counts[group] = 0
    }
    this.#countedGroups.length = 0
    return groups
  }
}
