import { countOf, formatNumber } from '../../schema/phrases.ts'
import { wholeTin } from '../../schema/summary/definition.ts'
import { formatRate } from '../display/formats.ts'
import { describeFlags } from '../highlights/price-shapes.ts'
import type { Price, RateGroup } from '../statistics/rate-groups.ts'
import type { Scale } from './scale.ts'
import { findBeyond } from './spots.ts'
import { countAmounts, isListed, quartilesOf } from './strip-labels.ts'

/** Describes the prices of a strip as its label does, beside a drawing with the median. */
export function labelPrices(group: RateGroup, unit: string, scale: Scale): string {
  if (isListed(group)) return listAmounts(group, unit)
  const { first, third } = quartilesOf(group)
  const half = `half ${formatRate(first, unit)} to ${formatRate(third, unit)}`
  return `${countOf(group.prices.length, 'price')} · ${half}${describeBeyond(group.prices, unit, scale)}`
}

/** Describes the prices of a strip without its drawing: their quartiles, or their amounts if they are few. */
export function describePrices(group: RateGroup, unit: string, scale: Scale): string {
  if (isListed(group)) return listAmounts(group, unit)
  const { first, median, third } = quartilesOf(group)
  const half = `half between ${formatRate(first, unit)} and ${formatRate(third, unit)}`
  const quartiles = `median ${formatRate(median, unit)}, ${half}`
  return `${countOf(group.prices.length, 'price')}, ${quartiles}${describeBeyond(group.prices, unit, scale)}`
}

/** Lists the amounts of a few prices, each with the number of prices that have it. */
function listAmounts(group: RateGroup, unit: string): string {
  const count = countOf(group.prices.length, 'price')
  const amounts = [...countAmounts(group)].map(([amount, times]) => ({ amount: formatRate(amount, unit), times }))
  const [first] = amounts
  if (first !== undefined && first.times > 1 && amounts.length === 1) return `${count}, all ${first.amount}`
  const texts = amounts.map(({ amount, times }) => (times === 1 ? amount : `${amount} × ${formatNumber(times)}`))
  return `${count}: ${texts.join(', ')}`
}

/** Says how many prices lie beyond the axis; empty if none do. */
function describeBeyond(prices: readonly Price[], unit: string, scale: Scale): string {
  const { before, after } = findBeyond(prices, scale)
  const [least, most] = [before.at(0), after.at(-1)]
  return [
    least && `; ${formatNumber(before.length)} below the axis, from ${formatRate(least.amount, unit)}`,
    most && `; ${formatNumber(after.length)} above the axis, up to ${formatRate(most.amount, unit)}`,
  ]
    .filter(Boolean)
    .join('')
}

/** Describes one price of a strip, and which of the equal ones it is. */
export function describePrice(price: Price, { prices }: RateGroup, unit: string): string {
  const { amount, npi, npiCount, name } = price
  const equal = prices.filter((other) => other.amount === amount)
  const turn = equal.length > 1 ? `${equal.indexOf(price) + 1} of ${equal.length} at this amount` : ''
  const provider = npi === String(wholeTin) ? 'the whole TIN' : `NPI ${npi}`
  const otherNpis = npiCount > 1 ? ` and ${countOf(npiCount - 1, 'other')}` : ''
  return [formatRate(amount, unit), turn, name, `${provider}${otherNpis}`, describeFlags(price)]
    .filter(Boolean)
    .join(' · ')
}
