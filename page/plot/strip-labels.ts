import type { Amount } from '../../client/results/amounts.ts'
import { at } from '../../schema/at.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { few } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../display/formats.ts'
import { percentileAt, type RateGroup } from '../statistics/rate-groups.ts'
import type { Scale } from './scale.ts'
import { type Arrangement, type Pile, positionOf } from './spots.ts'

/** A text in the drawing of a strip. */
export interface StripLabel {
  /** In percent of the width. */
  readonly position: number
  readonly text: string
  readonly side: 'above' | 'before' | 'behind'
}

/** The texts in the drawing of a strip. */
export interface StripLabels {
  readonly labels: readonly StripLabel[]
  /** True if there is no room for the number of a pile. */
  readonly hasUnlabelled: boolean
}

/** Room for an amount with a count beside its dot, for a count alone, and between texts, in percent of the width. */
const [amountRoom, countRoom, textRoom] = [22, 8, 9]

/** Labels the median of a distribution, or a few amounts, and dots that stand for several equal prices. */
export function labelStrip(group: RateGroup, unit: string, scale: Scale, arrangement: Arrangement): StripLabels {
  const piles = arrangement.piles.toSorted((a, b) => b.count - a.count)
  return isListed(group) ? labelAmounts(group, unit, scale, piles) : labelMedian(group, unit, scale, piles)
}

const writeCount = (piles: readonly Pile[]) => (piles.length === 0 ? '' : `× ${formatNumber(at(piles, 0).count)}`)

function labelMedian(group: RateGroup, unit: string, scale: Scale, piles: readonly Pile[]): StripLabels {
  const median = percentileAt(group, 50)
  const medianPiles = piles.filter(({ amount }) => amount === median)
  const otherPiles = piles.filter(({ amount }) => amount !== median)
  const text = [formatRate(median, unit), writeCount(medianPiles)].join(' ').trim()
  const labels: StripLabel[] = [{ position: positionOf(Number(median), scale), text, side: 'above' }]
  for (const pile of otherPiles)
    if (labels.every(({ position }) => Math.abs(position - pile.position) >= textRoom))
      labels.push({ position: pile.position, text: writeCount([pile]), side: 'above' })
  return { labels, hasUnlabelled: labels.length < 1 + otherPiles.length || medianPiles.length > 1 }
}

/** Writes the amounts of a few prices behind or before their dots, or at least the counts, where there is room. */
function labelAmounts(group: RateGroup, unit: string, scale: Scale, piles: readonly Pile[]): StripLabels {
  const amounts = [...countAmounts(group).keys()].filter((amount) => {
    const rate = Number(amount)
    return rate >= scale.from && rate <= scale.to
  })
  const labels: StripLabel[] = []
  let end = 0
  for (const [index, amount] of amounts.entries()) {
    const position = positionOf(Number(amount), scale)
    const next = amounts[index + 1]
    const free = (next === undefined ? 100 : positionOf(Number(next), scale)) - position
    const count = writeCount(piles.filter((pile) => pile.amount === amount))
    const text = `${formatRate(amount, unit)} ${count}`.trim()
    if (free >= amountRoom) labels.push({ position, text, side: 'behind' })
    else if (position - end >= amountRoom) labels.push({ position, text, side: 'before' })
    else if (count !== '' && free >= countRoom) labels.push({ position, text: count, side: 'behind' })
    const side = labels.at(-1)?.position === position ? labels.at(-1)?.side : undefined
    end = side === 'behind' ? position + Math.min(free, amountRoom) : position
  }
  return { labels, hasUnlabelled: !piles.every((pile) => labels.some(({ position }) => position === pile.position)) }
}

/** Of this number of distinct amounts or fewer, each is written, however many prices have it. */
const maxListed = 3

/** Returns the distinct amounts of a group, ascending, each with the number of prices that have it. */
export const countAmounts = ({ prices }: RateGroup): ReadonlyMap<Amount, number> =>
  new Map([...Map.groupBy(prices, ({ amount }) => amount)].map(([amount, equal]) => [amount, equal.length]))

/** True if the amounts of a group say more than its quartiles, because its prices or their amounts are few. */
export const isListed = (group: RateGroup): boolean =>
  group.prices.length < few || countAmounts(group).size <= maxListed

/** The quartiles of a group, which the plot draws; its other percentiles are in the table. */
export const quartilesOf = (group: RateGroup) => ({
  first: percentileAt(group, 25),
  median: percentileAt(group, 50),
  third: percentileAt(group, 75),
})
