import { compose, type Sentence, showPlan } from '../../client/results/sentence.ts'
import { at } from '../../schema/at.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { percentileOf } from '../../schema/summary/percentiles.ts'
import { isComparable } from './answer-code.ts'
import { type ComparableCode, type ComparablePrices, isSingleService } from './comparable-prices.ts'
import { compareMedians, medianOf, type RateGroup } from './rate-groups.ts'
import { formatShare, percentAbove } from './sentence.ts'

/** Identifies the fee schedule of a group. */
export const keyOfPlan = ({ payer, plan }: Pick<RateGroup, 'payer' | 'plan'>): string => JSON.stringify([payer, plan])

/** A fee schedule, with the number of codes for which its median is lower than all others. */
interface Standing {
  readonly plan: RateGroup
  readonly wins: number
}

/** Returns the codes with prices of several plans that can be compared, each with its main class. */
export const listCompared = (codes: readonly ComparableCode[]): readonly ComparableCode[] =>
  codes
    .filter(({ isMain }) => isMain)
    .filter((prices) => prices.groups.length > 1 && isComparable(prices) && isSingleService(prices.arrangement))

/** Ranks fee schedules by the number of codes for which they are the lowest. */
export function rankPlans(compared: readonly ComparablePrices[]): readonly Standing[] {
  const plans = new Map(compared.flatMap(({ groups }) => groups).map((group) => [keyOfPlan(group), group]))
  const winners = compared.flatMap(({ groups: [lowest, next] }) =>
    lowest && next && compareMedians(lowest, next) < 0 ? [keyOfPlan(lowest)] : [],
  )
  return [...plans]
    .map(([key, plan]) => ({ key, plan, wins: winners.filter((winner) => winner === key).length }))
    .sort((a, b) => b.wins - a.wins || (a.key < b.key ? -1 : 1))
}

/**
 * Returns the sentence about all codes of a result; undefined if fewer than two codes can be compared. Amounts of
 * different codes are never added up: a plan that is lower for a rare service would outweigh the others.
 */
export function answerCodes(codes: readonly ComparableCode[]): Sentence | undefined {
  const compared = listCompared(codes)
  if (compared.length < 2) return undefined
  const standings = rankPlans(compared)
  const plans = standings.map(({ plan }) => plan)
  const best = at(standings, 0)
  const all = compared.length
  if (best.wins === 0)
    return compose(`No plan has a lower median than the others for any of ${formatNumber(all)} codes.`)
  const name = showPlan(best.plan, plans)
  if (plans.length === 2) {
    const next = at(standings, 1)
    const other = showPlan(next.plan, plans)
    if (best.wins === next.wins)
      return compose(name, ' and ', other, ` each cost less for ${best.wins} of ${formatNumber(all)} codes.`)
    return compose(name, ` costs less for ${countCodes(best.wins, all)}`, ...describeMedian(best.plan, compared))
  }
  const ties = standings.filter(({ wins }) => wins === best.wins).length - 1
  const start = `Of ${formatNumber(plans.length)} plans, `
  if (ties > 0)
    return compose(
      ...[start, name, ` and ${countOf(ties, 'other')} each have the lowest median for `],
      `${countCodes(best.wins, all)}.`,
    )
  return compose(start, name, ` has the lowest median for ${countCodes(best.wins, all)}.`)
}

function countCodes(count: number, all: number): string {
  if (count < all) return `${formatNumber(count)} of ${formatNumber(all)} codes`
  return all === 2 ? 'both codes' : `all ${formatNumber(all)} codes`
}

/**
 * Describes by how much one of two plans is lower in the median of all codes, including codes for which it is higher. A
 * code in percent of charges has no share to compare, and then nothing is said.
 */
function describeMedian(plan: RateGroup, codes: readonly ComparablePrices[]): readonly string[] {
  const shares = codes.map(({ basis: { unit }, groups }) => {
    const otherGroup = groups.find((group) => keyOfPlan(group) !== keyOfPlan(plan))
    const groupOfPlan = groups.find((group) => keyOfPlan(group) === keyOfPlan(plan))
    if (groupOfPlan === undefined || otherGroup === undefined) throw new RangeError('a code lacks one of two plans')
    const [own, other] = [medianOf(groupOfPlan), medianOf(otherGroup)]
    if (unit === 'percent_of_charges' || Number(own) <= 0 || Number(other) <= 0) return Number.NaN
    return -percentAbove(other, own)
  })
  if (shares.some(Number.isNaN)) return ['.']
  const median = percentileOf(
    shares.toSorted((a, b) => a - b),
    50,
  )
  if (median <= 0) return ['.']
  const isPart = shares.some((share) => share <= 0)
  const of = isPart ? ` over all ${formatNumber(codes.length)}` : ''
  return [`, typically by ${formatShare(median)}\u00a0%${of}.`]
}
