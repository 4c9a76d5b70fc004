import type { AmountFlag } from '../../../schema/columns/flags.ts'
import type { ColumnValue } from '../../collect/column-values.ts'

/** Flags that an amount can have by itself: at most one. Their places are the values of `priceFlag`. */
const flagsOfPrices: readonly (readonly AmountFlag[])[] = [[], ['outlier_high'], ['outlier_low'], ['placeholder']]

/** The flag of an amount that its group has for many codes. */
const blanket: AmountFlag = 'blanket'

/** The flag of an amount by itself; 0 for none. */
export const priceFlag = { outlierHigh: 1, outlierLow: 2, placeholder: 3 } as const

/** Lists of flags by their number, each sorted; null instead of an empty list. */
export const flagLists: readonly ColumnValue[] = [
  ...flagsOfPrices.map((flags) => (flags.length === 0 ? null : flags)),
  ...flagsOfPrices.map((flags) => [blanket, ...flags]),
]

/** Returns the number of a row's list in `flagLists`. */
export const numberFlags = (flag: number, isBlanket: boolean): number =>
  isBlanket ? flagsOfPrices.length + flag : flag
