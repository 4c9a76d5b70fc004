import { at, uint32At } from '../../../schema/at.ts'
import type { Portion } from '../../collect/portion.ts'
import { termColumns } from '../../decode/in-network-file.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import type { Uint32List } from '../../decode/number-list.ts'
import type { GroupsOfRates } from '../groups-of-rates.ts'
import { negotiatedTypeAt, numberValues, type Units } from '../units.ts'
import { priceFlag } from './amount-flags.ts'
import { amountInUnit, BlanketAmounts, blanketCodes } from './blanket-amounts.ts'
import { OutlierFinder } from './outlier-finder.ts'

/** In ten-thousandths: 9999 to 999999999, whole or with nines only behind the point. */
const nines: ReadonlySet<number> = new Set(
  [4, 5, 6, 7, 8, 9].flatMap((digits) => [0, 1, 2, 3, 4].map((decimals) => 10 ** (digits + 4) - 10 ** (4 - decimals))),
)

/** @param amount in ten-thousandths */
const isPlaceholder = (amount: number, unit: string) =>
  amount <= 0 ||
  amount === 100 ||
  (amount === 10_000 && unit !== 'percent_of_charges') ||
  (amount >= 99_990_000 && nines.has(amount))

/** The prices of a portion in which the references that make rows are known. */
export interface ResolvedPrices {
  readonly portion: Portion
  readonly items: readonly { readonly firstRate: number; readonly endOfRates: number }[]
  /** By item: the number of its billing code, from 0 in the order of the items. */
  readonly codes: Uint32Array
  readonly units: Units
  readonly groups: GroupsOfRates
  readonly newSeed: NewSeed
}

/** Flags of the amounts of a portion's prices. */
export interface FlaggedAmounts {
  /** By price: its `priceFlag`, or 0. */
  readonly flags: Uint8Array
  readonly blankets: BlanketAmounts
}

/** Finds odd amounts among the prices of a portion (docs/result-values.md, "Flags"). */
export function flagAmounts(prices: ResolvedPrices): FlaggedAmounts {
  const { items, codes } = prices
  const flagger = new AmountFlagger(prices)
  for (const [item, { firstRate, endOfRates }] of items.entries()) {
    if (item > 0 && uint32At(codes, item) !== uint32At(codes, item - 1)) flagger.endCode()
    for (let rate = firstRate; rate < endOfRates; rate++) flagger.addRate(item, rate)
  }
  return flagger.end()
}

/** Flags the prices of a portion one by one, in the order of their billing codes. */
class AmountFlagger {
  readonly #prices: ResolvedPrices
  readonly #flags: Uint8Array
  readonly #outliers: OutlierFinder
  readonly #blankets: BlanketAmounts
  readonly #comparison: Comparison
  /** By group: number of prices that name it. */
  readonly #priceCounts: Uint32Array
  /** By unit of `units.values`: equal for equal units. */
  readonly #unitNumbers: Uint32Array

  constructor(prices: ResolvedPrices) {
    const { portion, units, groups, newSeed } = prices
    this.#prices = prices
    this.#flags = new Uint8Array(portion.numbers.ordinals.length)
    this.#outliers = new OutlierFinder(this.#flags, newSeed)
    this.#blankets = new BlanketAmounts(this.#flags.length, groups, newSeed)
    this.#comparison = new Comparison(portion)
    this.#priceCounts = groups.countPrices()
    this.#unitNumbers = numberValues(units.values)
  }

  /** Ends a billing code: prices of different codes are not compared. */
  endCode(): void {
    this.#outliers.endCode()
  }

  /** Adds the prices of a rate; without a group, they make no rows. */
  addRate(item: number, rate: number): void {
    const { portion, groups } = this.#prices
    const count = groups.list(rate)
    if (count === 0) return
    const mayBeBlanket = this.#findMostPrices(groups.rateKeys, count) >= blanketCodes
    const { firstPrices } = portion.numbers
    const end = uint32At(firstPrices.items, rate + 1)
    for (let price = uint32At(firstPrices.items, rate); price < end; price++)
      this.#addPrice(item, rate, price, mayBeBlanket)
  }

  end(): FlaggedAmounts {
    this.#outliers.endCode()
    this.#blankets.find()
    return { flags: this.#flags, blankets: this.#blankets }
  }

  #addPrice(item: number, rate: number, price: number, mayBeBlanket: boolean): void {
    const { portion, codes, units } = this.#prices
    const { terms, amounts } = portion.numbers
    const amount = amountOf(amounts, price)
    const unit = units.of(item, uint32At(terms.items, price * termColumns.length + negotiatedTypeAt))
    const unitNumber = uint32At(this.#unitNumbers, unit)
    if (mayBeBlanket) this.#blankets.add(price, rate, uint32At(codes, item), amountInUnit(amount, unitNumber))
    if (isPlaceholder(amount, at(units.values, unit))) this.#flags[price] = priceFlag.placeholder
    else this.#outliers.add(price, amount, this.#comparison.kindOf(price, unitNumber))
  }

  /** Number of prices of the group that has most. */
  #findMostPrices(groups: Uint32Array, count: number): number {
    let most = 0
    for (let place = 0; place < count; place++)
      most = Math.max(most, uint32At(this.#priceCounts, uint32At(groups, place)))
    return most
  }
}

/** The amount of a price in ten-thousandths, exact up to 200 billion dollars. The high word has the sign. */
const amountOf = ({ items: words }: Uint32List, price: number) =>
  (uint32At(words, 2 * price + 1) | 0) * 2 ** 32 + uint32At(words, 2 * price)

/** The kinds of prices whose amounts are comparable: prices in the same unit, billing class and setting. */
class Comparison {
  readonly #terms: Uint32List
  readonly #classNumbers: Uint32Array
  readonly #settingNumbers: Uint32Array

  constructor({ terms, numbers }: Portion) {
    this.#terms = numbers.terms
    this.#classNumbers = numberValues(at(terms, classAt))
    this.#settingNumbers = numberValues(at(terms, settingAt))
  }

  /** @returns a number that is equal for comparable prices */
  kindOf(price: number, unitNumber: number): number {
    const first = price * termColumns.length
    const billingClass = uint32At(this.#classNumbers, uint32At(this.#terms.items, first + classAt))
    const setting = uint32At(this.#settingNumbers, uint32At(this.#terms.items, first + settingAt))
    return (unitNumber * this.#classNumbers.length + billingClass) * this.#settingNumbers.length + setting
  }
}

const columnAt = (name: string) => termColumns.findIndex((column) => column.name === name)
const [classAt, settingAt] = [columnAt('billing_class'), columnAt('setting')]
