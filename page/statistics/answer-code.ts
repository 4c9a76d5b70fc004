import { compose, type Part, type Sentence, showPlan } from '../../client/results/sentence.ts'
import { at } from '../../schema/at.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { few, veryFew } from '../../schema/summary/percentiles.ts'
import type { ComparablePrices } from './comparable-prices.ts'
import { percentileAt, type RateGroup } from './rate-groups.ts'
import { describeHigher, joinParts, nameMonths, showAmount, showService } from './sentence.ts'

/**
 * Returns the sentence about the prices of one code: the median and the middle half of one fee schedule, the difference
 * of two, the lowest and the highest of more. Names the months of publication if they differ.
 */
export function answerCode(prices: ComparablePrices): Sentence {
  const { groups } = prices
  const [first, second] = groups
  if (first === undefined) return compose('No price of ', ...showService(prices), ' can be compared.')
  if (second === undefined) return answerOnePlan(prices, first)
  if (!isComparable(prices))
    return compose('The unit of ', ...showService(prices), ' was not published: plans are not compared.')
  const last = at(groups, groups.length - 1)
  const sentence = groups.length === 2 ? answerTwoPlans(prices, first, last) : answerManyPlans(prices, first, last)
  return [...sentence, ...compose(...nameMonths([first, last], groups))]
}

/** True if amounts of the unit mean the same in every plan. */
export const isComparable = ({ basis: { unit } }: Pick<ComparablePrices, 'basis'>): boolean => unit !== 'unspecified'

function answerOnePlan(prices: ComparablePrices, group: RateGroup): Sentence {
  const { unit } = prices.basis
  const count = group.prices.length
  const plan = showPlan(group, [group])
  const months = nameMonths([group], [group])
  const [amount, ...others] = showDistinct(group, unit)
  if (amount !== undefined && others.length === 0) {
    const equal = count === 1 ? 'its only price' : `all of its ${countFew(count)} are equal`
    return compose(plan, ' pays ', amount, ' for ', ...showService(prices), `: ${equal}.`, ...months)
  }
  const start = [plan, ' pays ', ...showMiddle(group, unit), ' for ', ...showService(prices)]
  if (count < veryFew) return compose(...start, `: ${countFew(count)}.`, ...months)
  return compose(
    ...start,
    `; the middle half of its ${countFew(count)} is between `,
    showAmount(percentileAt(group, 25), unit),
    ' and ',
    showAmount(percentileAt(group, 75), unit),
    '.',
    ...months,
  )
}

const showDistinct = ({ prices }: RateGroup, unit: string): readonly Part[] =>
  [...new Set(prices.map(({ amount }) => amount))].map((amount) => showAmount(amount, unit))

/** Shows the median of a group; one to four prices are shown as prices, because their median says little. */
function showMiddle(group: RateGroup, unit: string): readonly (string | Part)[] {
  if (group.prices.length < veryFew) return joinParts(showDistinct(group, unit))
  return ['a median of ', showAmount(percentileAt(group, 50), unit)]
}

const countFew = (count: number) => (count < few ? `few prices (${formatNumber(count)})` : countOf(count, 'price'))

function answerTwoPlans(prices: ComparablePrices, lower: RateGroup, higher: RateGroup): Sentence {
  const { groups } = prices
  const { unit } = prices.basis
  const [low, high] = [percentileAt(lower, 50), percentileAt(higher, 50)]
  const [one, other] = [showPlan(lower, groups), showPlan(higher, groups)]
  const end = warnOfFew([lower, higher], groups)
  if (low === high)
    return compose(
      ...[one, ' and ', other, ' have the same median for ', ...showService(prices), ', ', showAmount(low, unit)],
      ...end,
    )
  const isMedian = groups.every((group) => group.prices.length >= veryFew)
  const difference = describeHigher(low, high, unit)
  return compose(
    one,
    ' is lower than ',
    other,
    ' for ',
    ...showService(prices),
    ': ',
    ...showMiddle(lower, unit),
    ' against ',
    ...(isMedian ? [showAmount(high, unit)] : showMiddle(higher, unit)),
    ...(difference === undefined ? [] : ['; ', other, ` is ${difference}${isMedian ? '' : ' in the median'}`]),
    ...end,
  )
}

function answerManyPlans(prices: ComparablePrices, lowest: RateGroup, highest: RateGroup): Sentence {
  const { groups } = prices
  const { unit } = prices.basis
  const [low, high] = [percentileAt(lowest, 50), percentileAt(highest, 50)]
  const end = warnOfFew([lowest, highest], groups)
  const count = formatNumber(groups.length)
  if (low === high)
    return compose(
      `All ${count} plans have the same median for `,
      ...[...showService(prices), ', ', showAmount(low, unit), ...end],
    )
  const showTied = (group: RateGroup): readonly (string | Part)[] => {
    const ties = groups.filter((other) => percentileAt(other, 50) === percentileAt(group, 50)).length - 1
    return [showPlan(group, groups), ties === 0 ? '' : ` and ${countOf(ties, 'other')}`]
  }
  const hasTie = percentileAt(at(groups, 1), 50) === low
  const difference = describeHigher(low, high, unit)
  return compose(
    `Of ${count} plans, `,
    ...showTied(lowest),
    ` ${hasTie ? 'have' : 'has'} the lowest median for `,
    ...showService(prices),
    ', ',
    showAmount(low, unit),
    ', and ',
    ...showTied(highest),
    ' the highest, ',
    showAmount(high, unit),
    difference === undefined ? '' : `, ${difference}`,
    ...end,
  )
}

/**
 * The end of a sentence; it says which of the plans that the sentence names have few prices.
 *
 * @param compared all groups, among which a plan may need the name of its payer
 */
function warnOfFew(named: readonly RateGroup[], compared: readonly RateGroup[]): readonly (string | Part)[] {
  const scarce = named.filter(({ prices }) => prices.length < few)
  const counts = scarce.map(({ prices }) => formatNumber(prices.length)).join(' and ')
  if (counts === '') return ['.']
  const [plan] = scarce
  if (plan === undefined || scarce.length === named.length) return [`; few prices (${counts}).`]
  return ['; few prices of ', showPlan(plan, compared), ` (${counts}).`]
}
