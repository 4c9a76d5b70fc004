import type { ColumnValue } from '../columns/column-values.ts'
import type { Portion } from '../columns/portion.ts'
import { termColumns } from '../decode/in-network-file.ts'
import { BlanketAmounts, blanketCodes } from './blanket-amounts.ts'
import type { GroupsOfRates } from './groups-of-rates.ts'
import { OutlierFinder, priceFlag, priceFlags } from './outlier-finder.ts'
import { negotiatedTypeAt, numberValues, type Units } from './units.ts'

/** The lists of flags by number, sorted; null in place of an empty one. */
export const flagLists: readonly ColumnValue[] = [[], ['blanket']].flatMap((first) =>
  priceFlags.map((flags) => (first.length + flags.length > 0 ? [...first, ...flags] : null)),
)

/** In ten-thousandths: 9999 to 999999999, whole or with nines only behind the point. */
const nines: ReadonlySet<number> = new Set(
  [4, 5, 6, 7, 8, 9].flatMap((digits) => [0, 1, 2, 3, 4].map((decimals) => 10 ** (digits + 4) - 10 ** (4 - decimals))),
)

const isPlaceholder = (amount: number, unit: string | undefined) =>
  amount <= 0 ||
  amount === 100 ||
  (amount === 10_000 && unit !== 'percent_of_charges') ||
  (amount >= 99_990_000 && nines.has(amount))

/** The prices of a portion in which the references that make rows are known. */
export interface JudgedPrices {
  readonly portion: Portion
  readonly items: readonly { readonly firstRate: number; readonly endOfRates: number }[]
  /** By item: the number of its billing code, from 0 in the order of the items. */
  readonly codes: Uint32Array
  readonly units: Units
  readonly groups: GroupsOfRates
}

/** A price, as it is judged; the amount in ten-thousandths, exact up to 200 billion dollars. */
type TakePrice = (price: number, rate: number, item: number, unit: number, amount: number) => void

/**
 * Finds odd amounts among the prices of a portion (docs/result-values.md, "Flags").
 *
 * @returns the number in `flagLists` for a price and the rank of its group
 */
export function judgeAmounts(prices: JudgedPrices): (price: number, group: number) => number {
  const { portion, codes, units, groups } = prices
  const { terms } = portion
  const { terms: numbers, ordinals } = portion.numbers
  const flags = new Uint8Array(ordinals.length)
  const outliers = new OutlierFinder(flags)
  const blankets = new BlanketAmounts(flags.length, groups)
  const unitOf = numberValues(units.values)
  const [classAt, settingAt] = [columnAt('billing_class'), columnAt('setting')]
  const [classOf, settingOf] = [numberValues(terms[classAt] ?? []), numberValues(terms[settingAt] ?? [])]
  const largest = findLargestGroups(prices)
  let code = 0
  eachPrice(prices, largest, (price, rate, item, unit, amount) => {
    if (codes[item] !== code) outliers.endCode()
    code = codes[item] ?? 0
    if ((largest[rate] ?? 0) >= blanketCodes) blankets.add(price, rate, code, amount, unitOf[unit] ?? 0)
    if (isPlaceholder(amount, units.values[unit])) flags[price] = priceFlag.placeholder
    else {
      const first = price * termColumns.length
      const ofClass = classOf[numbers.items[first + classAt] ?? 0] ?? 0
      const ofSetting = settingOf[numbers.items[first + settingAt] ?? 0] ?? 0
      outliers.add(price, amount, ((unitOf[unit] ?? 0) * classOf.length + ofClass) * settingOf.length + ofSetting)
    }
  })
  outliers.endCode()
  blankets.judge()
  return (price, group) => (flags[price] ?? 0) + (blankets.has(price, group) ? priceFlags.length : 0)
}

const columnAt = (name: string) => termColumns.findIndex((column) => column.name === name)

/** Passes the prices that make rows, code by code. */
function eachPrice({ portion, items, units }: JudgedPrices, largest: Uint32Array, take: TakePrice): void {
  const { terms, amounts, firstPrices } = portion.numbers
  for (const [item, { firstRate, endOfRates }] of items.entries()) {
    for (let rate = firstRate; rate < endOfRates; rate++) {
      if (largest[rate] === 0) continue
      const end = firstPrices.items[rate + 1] ?? 0
      for (let price = firstPrices.items[rate] ?? 0; price < end; price++) {
        // The high word has the sign.
        const amount = ((amounts.items[2 * price + 1] ?? 0) | 0) * 2 ** 32 + (amounts.items[2 * price] ?? 0)
        take(price, rate, item, units.of(item, terms.items[price * termColumns.length + negotiatedTypeAt] ?? 0), amount)
      }
    }
  }
}

/** By rate: how many prices the largest of its groups has; 0 if it makes no rows. */
function findLargestGroups({ portion, groups }: JudgedPrices): Uint32Array {
  const { firstPrices } = portion.numbers
  const prices = new Uint32Array(groups.keyCount)
  for (let rate = 0; rate < portion.rateCount; rate++) {
    const priced = (firstPrices.items[rate + 1] ?? 0) - (firstPrices.items[rate] ?? 0)
    const count = groups.list(rate)
    for (let at = 0; at < count; at++) {
      const group = groups.ranks[at] ?? 0
      prices[group] = (prices[group] ?? 0) + priced
    }
  }
  const largest = new Uint32Array(portion.rateCount)
  for (let rate = 0; rate < portion.rateCount; rate++) {
    const count = groups.list(rate)
    for (let at = 0; at < count; at++) largest[rate] = Math.max(largest[rate] ?? 0, prices[groups.ranks[at] ?? 0] ?? 0)
  }
  return largest
}
