import { at } from '../../schema/at.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { few, percentileOf, veryFew } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../formats.ts'
import type { ComparablePrices } from './comparable-prices.ts'
import { medianOf, percentileAt, type RateGroup } from './rate-groups.ts'

/** A part of a sentence: words, or a name or an amount from the result, which the page sets off. */
export interface Part {
  readonly text: string
  readonly kind: 'words' | 'plan' | 'code' | 'amount'
}

/** A sentence that answers what a service costs. */
export type Sentence = readonly Part[]

/** Maximum length of a service's description in a sentence. */
const maxName = 60

const write = (...parts: readonly (string | Part)[]): Sentence =>
  parts.map((part) => (typeof part === 'string' ? { text: part, kind: 'words' } : part))

const showAmount = (rate: number, unit: string): Part => ({ text: formatRate(rate, unit), kind: 'amount' })

const showCode = ({ code, name }: ComparablePrices): Part => {
  const short = name.length > maxName ? `${name.slice(0, maxName).trimEnd()}…` : name
  return {
    text: short === '' || code.includes(short) ? code : `${short} (${code.replace(' ', '\u00a0')})`,
    kind: 'code',
  }
}

/** Names a fee schedule by its plan, and by its payer if another plan among the groups has the same name. */
const showPlan = ({ payer, plan }: RateGroup, groups: readonly RateGroup[]): Part => ({
  text: groups.some((other) => other.plan === plan && other.payer !== payer) ? `${plan} of ${payer}` : plan,
  kind: 'plan',
})

/**
 * Returns the sentence about the prices of one code: the median and the middle half of one fee schedule, the difference
 * of two, the lowest and the highest of more.
 */
export function answerCode(prices: ComparablePrices): Sentence {
  const { unit, groups } = prices
  const [first, second] = groups
  if (first === undefined) return write('No price of ', showCode(prices), ' can be compared.')
  if (second === undefined) return answerOnePlan(prices, first)
  if (!isComparable(unit)) return write('The unit of ', showCode(prices), ' was not published: plans are not compared.')
  return groups.length === 2 ? answerTwoPlans(prices, first, second) : answerManyPlans(prices, first)
}

/** True if amounts of a unit mean the same in every plan. */
const isComparable = (unit: string) => unit !== 'unspecified'

function answerOnePlan(prices: ComparablePrices, group: RateGroup): Sentence {
  const { unit } = prices
  const rates = group.prices.map(({ rate }) => rate)
  const start = [{ text: group.plan, kind: 'plan' }, ' pays '] as const
  const distinct = [...new Set(rates)].map((rate) => showAmount(rate, unit))
  if (distinct.length === 1)
    return write(...start, at(distinct, 0), ' for ', showCode(prices), `: ${describeEqual(rates.length)}.`)
  if (rates.length < veryFew)
    return write(
      ...start,
      ...distinct.flatMap((amount, index) => [separate(index, distinct.length), amount]),
      ' for ',
      showCode(prices),
      `: ${countFew(rates.length)}.`,
    )
  const [low, median, high] = [25, 50, 75].map((percent) => showAmount(percentileAt(group, percent), unit))
  if (!low || !median || !high) throw new RangeError('a group lacks a quartile')
  return write(
    ...start,
    'a median of ',
    median,
    ' for ',
    showCode(prices),
    `; the middle half of its ${countFew(rates.length)} is between `,
    low,
    ' and ',
    high,
    '.',
  )
}

const describeEqual = (count: number) => (count === 1 ? 'its only price' : `all of its ${countFew(count)} are equal`)

const separate = (index: number, count: number) => {
  if (index === 0) return ''
  return index === count - 1 ? ' and ' : ', '
}

const countFew = (count: number) => (count < few ? `few prices (${formatNumber(count)})` : countOf(count, 'price'))

function answerTwoPlans(prices: ComparablePrices, lower: RateGroup, higher: RateGroup): Sentence {
  const { unit, groups } = prices
  const [low, high] = [medianOf(lower), medianOf(higher)]
  const [one, other] = [showPlan(lower, groups), showPlan(higher, groups)]
  const counts = warnOfFew([lower, higher])
  if (low === high)
    return write(
      one,
      ' and ',
      other,
      ' have the same median for ',
      showCode(prices),
      ', ',
      showAmount(low, unit),
      counts,
    )
  const difference = describeDifference(low, high, unit)
  return write(
    one,
    ` is ${difference}lower than `,
    other,
    ' for ',
    showCode(prices),
    ': a median of ',
    showAmount(low, unit),
    ' against ',
    showAmount(high, unit),
    counts,
  )
}

function answerManyPlans(prices: ComparablePrices, lowest: RateGroup): Sentence {
  const { unit, groups } = prices
  const highest = at(groups, groups.length - 1)
  const counts = warnOfFew([lowest, highest])
  const count = formatNumber(groups.length)
  if (medianOf(lowest) === medianOf(highest))
    return write(
      `All ${count} plans have the same median for `,
      showCode(prices),
      ', ',
      showAmount(medianOf(lowest), unit),
      counts,
    )
  const describeTied = (group: RateGroup): readonly (string | Part)[] => {
    const ties = groups.filter((other) => medianOf(other) === medianOf(group)).length - 1
    return [showPlan(group, groups), ties === 0 ? '' : ` and ${countOf(ties, 'other')}`]
  }
  const hasTie = medianOf(at(groups, 1)) === medianOf(lowest)
  return write(
    `Of ${count} plans, `,
    ...describeTied(lowest),
    ` ${hasTie ? 'have' : 'has'} the lowest median for `,
    showCode(prices),
    ', ',
    showAmount(medianOf(lowest), unit),
    ', and ',
    ...describeTied(highest),
    ' the highest, ',
    showAmount(medianOf(highest), unit),
    counts,
  )
}

/** The end of a sentence; it says so if a plan that the sentence names has few prices. */
function warnOfFew(groups: readonly RateGroup[]): string {
  const counts = groups.map(({ prices }) => prices.length)
  if (counts.every((count) => count >= few)) return '.'
  return `, of few prices (${counts.map(formatNumber).join(' and ')}).`
}

/** Describes by how much an amount is lower, to precede the word: percentages of charges differ in points. */
function describeDifference(low: number, high: number, unit: string): string {
  if (unit === 'percent_of_charges') return `${formatShare(high - low)} points `
  return high > 0 ? `${formatShare(percentBelow(low, high))}\u00a0% ` : ''
}

const percentBelow = (low: number, high: number) => ((high - low) / high) * 100

const formatShare = (percent: number) =>
  percent < 0.1 ? 'less than 0.1' : percent.toLocaleString('en-US', { maximumFractionDigits: percent < 10 ? 1 : 0 })

/**
 * Returns the sentence about all codes of a result; undefined if fewer than two codes can be compared. Amounts of
 * different codes are never added up: a plan that is lower for a rare service would outweigh the others.
 */
export function answerCodes(codes: readonly ComparablePrices[]): Sentence | undefined {
  const compared = codes.filter(({ unit, groups }) => groups.length > 1 && isComparable(unit))
  if (compared.length < 2) return undefined
  const plans = [...new Map(compared.flatMap(({ groups }) => groups).map((group) => [keyOf(group), group])).values()]
  const isLowest = (plan: RateGroup, { groups }: ComparablePrices) => {
    const [lowest, next] = groups
    return (
      lowest !== undefined && next !== undefined && keyOf(lowest) === keyOf(plan) && medianOf(lowest) < medianOf(next)
    )
  }
  const standings = plans
    .map((plan) => ({ plan, wins: compared.filter((prices) => isLowest(plan, prices)).length }))
    .sort((a, b) => b.wins - a.wins || (keyOf(a.plan) < keyOf(b.plan) ? -1 : 1))
  const [best, next] = [at(standings, 0), at(standings, 1)]
  const all = compared.length
  if (best.wins === 0) return write(`No plan has a lower median than the others for any of ${formatNumber(all)} codes.`)
  const name = showPlan(best.plan, plans)
  if (plans.length === 2) {
    const other = showPlan(next.plan, plans)
    if (best.wins === next.wins)
      return write(name, ' and ', other, ` are each lower for ${best.wins} of ${formatNumber(all)} codes.`)
    return write(
      name,
      ' is lower than ',
      other,
      ` for ${countCodes(best.wins, all)}`,
      describeMedian(best.plan, compared),
    )
  }
  const ties = standings.filter(({ wins }) => wins === best.wins).length - 1
  const start = `Of ${formatNumber(plans.length)} plans, `
  if (ties > 0)
    return write(
      start,
      name,
      ` and ${countOf(ties, 'other')} each have the lowest median for ${countCodes(best.wins, all)}.`,
    )
  return write(start, name, ` has the lowest median for ${countCodes(best.wins, all)}.`)
}

const keyOf = ({ payer, plan }: RateGroup) => JSON.stringify([payer, plan])

const countCodes = (count: number, all: number) =>
  count === all ? `all ${formatNumber(all)} codes` : `${formatNumber(count)} of ${formatNumber(all)} codes`

/**
 * Describes by how much a plan is lower than the other one in the median of all codes, those for which it is higher
 * among them. A code in percent of charges has no share to compare, and then nothing is said.
 */
function describeMedian(plan: RateGroup, codes: readonly ComparablePrices[]): string {
  const shares = codes.map(({ unit, groups }) => {
    const other = groups.find((group) => keyOf(group) !== keyOf(plan))
    const groupOfPlan = groups.find((group) => keyOf(group) === keyOf(plan))
    if (groupOfPlan === undefined || other === undefined || unit === 'percent_of_charges' || medianOf(other) <= 0)
      return Number.NaN
    return percentBelow(medianOf(groupOfPlan), medianOf(other))
  })
  if (shares.some(Number.isNaN)) return '.'
  const median = percentileOf(
    shares.toSorted((a, b) => a - b),
    50,
  )
  if (median <= 0) return '.'
  const isPart = shares.some((share) => share <= 0)
  return `, by ${formatShare(median)}\u00a0% in the median${isPart ? ` of all ${formatNumber(codes.length)}` : ''}.`
}
