import { type Amount, subtractAmounts } from '../../client/results/amounts.ts'
import { namePlace } from '../../client/results/places-of-service.ts'
import { type Part, showPlan } from '../../client/results/sentence.ts'
import { formatMonth, formatRate } from '../display/formats.ts'
import type { Basis, ComparablePrices } from './comparable-prices.ts'
import type { RateGroup } from './rate-groups.ts'

/** Maximum length of a service's description in a sentence. */
const maxName = 60

export const showAmount = (amount: Amount, unit: string): Part => ({ text: formatRate(amount, unit), kind: 'amount' })

/** Names arrangements that pay for more than the code, to precede it. Source: CMS schema, `negotiation_arrangement`. */
const wholes: Readonly<Record<string, string>> = { bundle: 'a bundle with ', capitation: 'capitation with ' }

/** Says who bills, to follow the service; a class that was not published is said elsewhere. */
const billers: Readonly<Record<string, string>> = {
  professional: ' billed by a professional',
  institutional: ' billed by a facility',
  both: ' billed by a professional or a facility',
}

/** Surgical centers bill as professionals do. Source: CMS, Medicare Claims Processing Manual, chapter 14. */
const surgicalCenter = '24'

function showBiller({ billingClass, place }: Basis): string {
  if (billingClass === 'professional' && place === surgicalCenter) return ` billed at an ${namePlace(place)}`
  return billers[billingClass] ?? (billingClass && ` of the class ${billingClass}`)
}

/** Names the service of a code, and who bills it. */
export function showService({ code, name, arrangement, basis }: ComparablePrices): readonly (string | Part)[] {
  const short = name.length > maxName ? `${name.slice(0, maxName).trimEnd()}…` : name
  const text = short === '' || code.includes(short) ? code : `${short} (${code.replace(' ', '\u00a0')})`
  return [wholes[arrangement] ?? '', { text, kind: 'code' }, showBiller(basis)]
}

/** Joins parts with commas, and the last with an `and`. */
export const joinParts = (parts: readonly Part[]): readonly (string | Part)[] =>
  parts.flatMap((part, index) => {
    if (index === 0) return [part]
    return [index === parts.length - 1 ? ' and ' : ', ', part]
  })

/**
 * Names the months in which the prices of fee schedules were published, if they differ: a difference between prices may
 * then be one between months.
 */
export function nameMonths(groups: readonly RateGroup[], compared: readonly RateGroup[]): readonly (string | Part)[] {
  if (new Set(groups.flatMap(({ months }) => months)).size < 2) return []
  return [
    ' Published in different months: ',
    ...groups.flatMap((group, index) => [
      index === 0 ? '' : ', ',
      showPlan(group, compared),
      ` ${group.months.map(formatMonth).join(' and ') || 'in an unknown month'}`,
    ]),
    '.',
  ]
}

/** Describes by how much an amount is higher than another: percentages of charges differ in points. */
export function describeHigher(low: Amount, high: Amount, unit: string): string | undefined {
  if (unit === 'percent_of_charges') return `${formatShare(subtractAmounts(high, low))} points higher`
  return Number(low) > 0 ? `${formatShare(percentAbove(low, high))}\u00a0% higher` : undefined
}

/** The percentage by which an amount is above another, which is positive. */
export const percentAbove = (base: Amount, rate: Amount): number => (subtractAmounts(rate, base) / Number(base)) * 100

/** Formats a percentage or a number of points that is not negative. */
export const formatShare = (percent: number): string =>
  percent < 0.1 && percent > 0
    ? 'less than 0.1'
    : percent.toLocaleString('en-US', { maximumFractionDigits: percent < 10 ? 1 : 0 })
