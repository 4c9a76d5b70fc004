import type { Amount } from '../../client/results/amounts.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { compareMedians, groupPrices, medianOf, type RateGroup } from './rate-groups.ts'

/** Says in few words what counts once, by weight. */
export const countedBriefly: Readonly<Record<SummaryWeight, string>> = {
  tins: 'each TIN once',
  prices: 'each published price once',
  npis: 'each NPI once',
}

/** Says what counts once, by weight. */
export const countedOnce: Readonly<Record<SummaryWeight, string>> = {
  tins: 'each TIN once for each amount',
  prices: 'each published price once',
  npis: 'each NPI once for each amount',
}

/** Names the things that count, by weight. */
export const thingNames: Readonly<Record<SummaryWeight, string>> = { tins: 'TINs', prices: 'prices', npis: 'NPIs' }

/** The median of a fee schedule that another weight would change. */
interface OtherMedian {
  readonly weight: SummaryWeight
  readonly group: RateGroup
  readonly median: Amount
}

/** Least difference between the medians of two weights that is pointed out, as a share. */
const leastShare = 0.1

const isSameGroup = (one: RateGroup, other: RateGroup) =>
  one.payer === other.payer && one.plan === other.plan && one.terms.join('\n') === other.terms.join('\n')

/**
 * Returns the median that differs most under another weight, if it differs by more than a tenth.
 *
 * @param groups the prices that are compared, under the current weight
 * @param rows rows of one code, unit, modifiers and place with these prices
 * @param others the other weights that the rows allow
 */
export function findOtherMedian(
  groups: readonly RateGroup[],
  rows: readonly ResultRow[],
  others: readonly SummaryWeight[],
): OtherMedian | undefined {
  const differences = others.flatMap((weight) =>
    groupPrices(rows, weight).flatMap((otherGroup) => {
      const group = groups.find((one) => isSameGroup(one, otherGroup))
      if (group === undefined) return []
      const difference = Math.abs(compareMedians(otherGroup, group))
      const isLarge = difference > leastShare * Math.abs(Number(medianOf(group)))
      return isLarge ? [{ weight, group, median: medianOf(otherGroup), difference }] : []
    }),
  )
  const [largest] = differences.sort((a, b) => b.difference - a.difference)
  return largest
}
