import type { ColumnValue } from '../collect/column-values.ts'
import type { Portion } from '../collect/portion.ts'
import { termColumns } from '../decode/in-network-file.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'
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
  readonly newSeed: NewSeed
}

/** What is odd about the amounts of a portion's prices. */
export interface JudgedAmounts {
  /** By price: the number of its flags in `flagLists`, of groups for which its amount is not blanket. */
  readonly flags: Uint8Array
  readonly blankets: BlanketAmounts
}

/** What is added to the number of flags where an amount is blanket. */
export const blanketFlag = priceFlags.length

/** Finds odd amounts among the prices of a portion (docs/result-values.md, "Flags"). */
export function judgeAmounts(prices: JudgedPrices): JudgedAmounts {
  const { portion, items, codes, units, groups, newSeed } = prices
  const { terms, amounts, firstPrices, ordinals } = portion.numbers
  const flags = new Uint8Array(ordinals.length)
  const outliers = new OutlierFinder(flags, newSeed)
  const blankets = new BlanketAmounts(flags.length, groups, newSeed)
  const pricesOf = groups.countPrices()
  const unitOf = numberValues(units.values)
  const [classAt, settingAt] = [columnAt('billing_class'), columnAt('setting')]
  const [classOf, settingOf] = [
    numberValues(portion.terms[classAt] ?? []),
    numberValues(portion.terms[settingAt] ?? []),
  ]
  for (const [item, { firstRate, endOfRates }] of items.entries()) {
    const code = codes[item] ?? 0
    if (code !== codes[item - 1]) outliers.endCode()
    for (let rate = firstRate; rate < endOfRates; rate++) {
      const count = groups.list(rate)
      if (count === 0) continue
      let largest = 0
      for (let at = 0; at < count; at++) largest = Math.max(largest, pricesOf[groups.listed[at] ?? 0] ?? 0)
      const end = firstPrices.items[rate + 1] ?? 0
      for (let price = firstPrices.items[rate] ?? 0; price < end; price++) {
        // In ten-thousandths, exact up to 200 billion dollars; the high word has the sign.
        const amount = ((amounts.items[2 * price + 1] ?? 0) | 0) * 2 ** 32 + (amounts.items[2 * price] ?? 0)
        const termOf = (column: number) => terms.items[price * termColumns.length + column] ?? 0
        const unit = units.of(item, termOf(negotiatedTypeAt))
        if (largest >= blanketCodes) blankets.add(price, rate, code, amount, unitOf[unit] ?? 0)
        if (isPlaceholder(amount, units.values[unit])) flags[price] = priceFlag.placeholder
        else {
          const ofClass = classOf[termOf(classAt)] ?? 0
          const ofSetting = settingOf[termOf(settingAt)] ?? 0
          outliers.add(price, amount, ((unitOf[unit] ?? 0) * classOf.length + ofClass) * settingOf.length + ofSetting)
        }
      }
    }
  }
  outliers.endCode()
  blankets.judge()
  return { flags, blankets }
}

const columnAt = (name: string) => termColumns.findIndex((column) => column.name === name)
