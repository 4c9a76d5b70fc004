import { at } from '../../../schema/at.ts'
import { formatNumber } from '../../../schema/phrases.ts'
import { formatRate } from '../../formats.ts'
import { medianOf, type RateGroup } from '../rate-groups.ts'
import { countAmounts, isListed } from './listed-amounts.ts'
import type { Scale } from './scale.ts'
import { type Arrangement, type Pile, placeOf } from './spots.ts'

/** A text in the drawing of a strip. */
export interface StripLabel {
  /** In percent of the width. */
  readonly place: number
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
  const median = medianOf(group)
  const { own = [], other = [] } = Object.groupBy(piles, ({ rate }) => (rate === median ? 'own' : 'other'))
  const text = [formatRate(median, unit), writeCount(own)].join(' ').trim()
  const labels: StripLabel[] = [{ place: placeOf(median, scale), text, side: 'above' }]
  for (const pile of other)
    if (labels.every(({ place }) => Math.abs(place - pile.place) >= textRoom))
      labels.push({ place: pile.place, text: writeCount([pile]), side: 'above' })
  return { labels, hasUnlabelled: labels.length < 1 + other.length || own.length > 1 }
}

/** Writes the amounts of a few prices behind or before their dots, or at least the counts, where there is room. */
function labelAmounts(group: RateGroup, unit: string, scale: Scale, piles: readonly Pile[]): StripLabels {
  const rates = [...countAmounts(group).keys()].filter((rate) => rate >= scale.from && rate <= scale.to)
  const labels: StripLabel[] = []
  let end = 0
  for (const [index, rate] of rates.entries()) {
    const place = placeOf(rate, scale)
    const next = rates[index + 1]
    const free = (next === undefined ? 100 : placeOf(next, scale)) - place
    const count = writeCount(piles.filter((pile) => pile.rate === rate))
    const text = `${formatRate(rate, unit)} ${count}`.trim()
    if (free >= amountRoom) labels.push({ place, text, side: 'behind' })
    else if (place - end >= amountRoom) labels.push({ place, text, side: 'before' })
    else if (count !== '' && free >= countRoom) labels.push({ place, text: count, side: 'behind' })
    const side = labels.at(-1)?.place === place ? labels.at(-1)?.side : undefined
    end = side === 'behind' ? place + Math.min(free, amountRoom) : place
  }
  return { labels, hasUnlabelled: !piles.every((pile) => labels.some(({ place }) => place === pile.place)) }
}
