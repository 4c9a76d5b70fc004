import { type Amount, subtractAmounts } from '../../client/results/amounts.ts'
import { countOf } from '../../schema/phrases.ts'
import { veryFew } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../display/formats.ts'
import { percentileAt, type RateGroup } from '../statistics/rate-groups.ts'

/** The place of an amount among the prices of a group, each counted once by the weight of the page. */
export interface Position {
  readonly amount: Amount
  /** Numbers of prices that are lower than the amount, equal to it, and higher. */
  readonly lower: number
  readonly equal: number
  readonly higher: number
  /** The greatest whole percentile whose price is at most the amount; 0 if the first percentile is higher. */
  readonly percentile: number
  /** The amount less the median. */
  readonly fromMedian: number
}

/** Returns the place of an amount, published or not, among the prices of a group. */
export function locateAmount(group: RateGroup, amount: Amount): Position {
  const { prices } = group
  const lower = prices.filter((price) => subtractAmounts(price.amount, amount) < 0).length
  const higher = prices.filter((price) => subtractAmounts(price.amount, amount) > 0).length
  const upTo = prices.length - higher
  return {
    amount,
    lower,
    equal: upTo - lower,
    higher,
    percentile: Math.floor((upTo * 100) / prices.length),
    fromMedian: subtractAmounts(amount, percentileAt(group, 50)),
  }
}

/** Describes a place in words, such as "23rd percentile, $48.00 below the median". */
export function describePosition(position: Position, unit: string): string {
  const { fromMedian } = position
  const rank = describeRank(position)
  if (position.lower + position.higher === 0) return rank
  if (fromMedian === 0) return rank === '' ? 'the median' : `${rank}, the median`
  const distance = `${formatDistance(Math.abs(fromMedian), unit)} ${fromMedian < 0 ? 'below' : 'above'} the median`
  return rank === '' ? distance : `${rank}, ${distance}`
}

/** The places of several amounts: of the least and of the greatest. */
export interface PositionRange {
  readonly least: Position
  readonly greatest: Position
  readonly count: number
}

/** Describes the place of one amount, or of the ends of several. */
export function describeRange({ least, greatest, count }: PositionRange, unit: string): string {
  const describe = (position: Position) => `${formatRate(position.amount, unit)}: ${describePosition(position, unit)}`
  if (least.amount === greatest.amount) return describe(least)
  return `${countOf(count, 'price')} from ${describe(least)}, to ${describe(greatest)}`
}

/** Describes the rank of an amount; empty for the median, whose name says it. */
function describeRank({ lower, equal, higher, percentile, fromMedian }: Position): string {
  const count = lower + equal + higher
  if (equal === 0 && lower === 0) return `below ${nameAll(count)}`
  if (equal === 0 && higher === 0) return `above ${nameAll(count)}`
  if (count === 1) return 'its only price'
  if (lower + higher === 0) return `all ${count} prices are equal`
  if (lower === 0) return `lowest of ${count}`
  if (higher === 0) return `highest of ${count}`
  if (fromMedian === 0) return ''
  if (count < veryFew) return `between its ${count} prices`
  return percentile === 0 ? 'below the 1st percentile' : `${formatOrdinal(percentile)} percentile`
}

const nameAll = (count: number) => (count === 1 ? 'its only price' : `all ${countOf(count, 'price')}`)

/** Percentages differ in points. */
const formatDistance = (distance: number, unit: string) =>
  unit === 'percent_of_charges' ? `${countPoints(distance)}` : formatRate(roundCents(distance), unit)

const countPoints = (points: number) =>
  `${points.toLocaleString('en-US', { maximumFractionDigits: 2 })} ${points === 1 ? 'point' : 'points'}`

/** Removes what subtraction of binary fractions adds: prices have at most four decimals. */
const roundCents = (amount: number) => Math.round(amount * 1e4) / 1e4

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }

const formatOrdinal = (value: number) => `${value}${endings[ordinals.select(value)]}`
