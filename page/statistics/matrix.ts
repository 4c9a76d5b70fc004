import { type Amount, subtractAmounts } from '../../client/results/amounts.ts'
import { showValue } from '../../client/results/csv.ts'
import { namePlace } from '../../client/results/places-of-service.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { at } from '../../schema/at.ts'
import { everywhere, many, termColumns } from '../../schema/summary/definition.ts'
import { nameClass } from '../display/billing-classes.ts'
import { nameUnit } from '../display/formats.ts'
import { isComparable } from './answer-code.ts'
import { keyOfPlan, listCompared, rankPlans } from './answer-codes.ts'
import { type ComparableCode, type ComparableRows, isSingleService } from './comparable-prices.ts'
import { compareMedians, countValues, groupPrices, medianOf, planOf, type RateGroup } from './rate-groups.ts'
import { formatShare, percentAbove } from './sentence.ts'

/** A column of the matrix. */
export interface MatrixPlan {
  /** Identifies the plan in the address of the page. */
  readonly key: string
  readonly payer: string
  readonly plan: string
  /** The months in which its compared prices were published, such as `2026-11`, ascending. */
  readonly months: readonly string[]
}

/** The prices of a code in one plan. */
export interface MatrixCell {
  readonly group: RateGroup
  /** The basis of the prices: that of the row, unless the plan has none on it. */
  readonly basis: ComparableRows
  /** The words in which the basis differs from that of the row, such as `per diem`. Such a cell is not compared. */
  readonly exception?: string
  /** Difference of the median from that of the reference, such as `+16 %`. */
  readonly difference?: string | undefined
  /** True if the median is lower than that of another plan, and no plan has a lower one. */
  readonly isLowest: boolean
}

/** The prices of a code on one basis, by the key of the plan. */
export interface MatrixRow {
  readonly basis: ComparableRows
  readonly cells: ReadonlyMap<string, MatrixCell>
}

/** A code of one class in the matrix, with the rows that are shown of it. */
export interface MatrixCode {
  readonly code: string
  /** Identifies the code and the class among those of the matrix. */
  readonly key: string
  readonly name: string
  /** The words in which the basis of the row differs from what a reader expects. */
  readonly tags: readonly string[]
  readonly shared: MatrixRow
  /** Number of other bases on which the code has prices, and their rows, if the reader opened them. */
  readonly otherCount: number
  readonly others: readonly MatrixRow[]
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/**
 * Returns the plans of a result in the order of columns: by the number of codes that they have on the shared basis,
 * then by the number for which they are the lowest. The first one is the reference unless the reader chooses another.
 */
export function listPlans(codes: readonly ComparableCode[]): readonly MatrixPlan[] {
  const wins = new Map(rankPlans(listCompared(codes)).map((standing) => [keyOfPlan(standing.plan), standing.wins]))
  const groupsByPlan = Map.groupBy(
    codes.flatMap(({ isMain, groups }) => (isMain ? groups : [])),
    keyOfPlan,
  )
  const coverage = new Map([...groupsByPlan].map(([key, groups]) => [key, groups.length]))
  const plans = new Map<string, MatrixPlan>()
  for (const { bases } of codes)
    for (const kind of bases.flatMap(({ kinds }) => kinds)) {
      const plan = planOf(at(kind, 0))
      const key = keyOfPlan(plan)
      if (plans.has(key)) continue
      const months = groupsByPlan.get(key)?.flatMap((group) => group.months)
      plans.set(key, { ...plan, key, months: [...new Set(months)].sort() })
    }
  const compare = (count: ReadonlyMap<string, number>, a: MatrixPlan, b: MatrixPlan) =>
    (count.get(b.key) ?? 0) - (count.get(a.key) ?? 0)
  return [...plans.values()].sort(
    (a, b) =>
      compare(coverage, a, b) || compare(wins, a, b) || a.plan.localeCompare(b.plan, 'en') || (a.key < b.key ? -1 : 1),
  )
}

/** Returns the row of a code: the cells of plans on the shared basis, and what each other plan has. */
export function compareShared(code: ComparableCode, reference: string, weight: SummaryWeight): MatrixRow {
  const shared = at(code.bases, 0)
  const cells = compareGroups(shared, code.groups, reference)
  for (const basis of code.bases.slice(1))
    for (const kind of basis.kinds) {
      const key = keyOfPlan(planOf(at(kind, 0)))
      if (!cells.has(key)) cells.set(key, showException(code, key, weight))
    }
  return { basis: shared, cells }
}

/** Returns a row of a code on another basis than the shared one. */
export const compareOther = (basis: ComparableRows, reference: string, weight: SummaryWeight): MatrixRow => ({
  basis,
  cells: compareGroups(basis, groupPrices(basis.kinds.flat(), weight), reference),
})

function compareGroups(basis: ComparableRows, groups: readonly RateGroup[], reference: string) {
  const { unit } = basis.basis
  const areComparable = isComparable(basis)
  const [lowest, ...others] = groups
  const base = groups.find((group) => keyOfPlan(group) === reference)
  const isCompared = areComparable && others.some((other) => lowest && compareMedians(other, lowest) > 0)
  return new Map(
    groups.map((group): [string, MatrixCell] => [
      keyOfPlan(group),
      {
        group,
        basis,
        isLowest: isCompared && lowest !== undefined && compareMedians(group, lowest) === 0,
        difference:
          base === undefined || base === group || !areComparable
            ? undefined
            : describeDifference(medianOf(base), medianOf(group), unit),
      },
    ]),
  )
}

/** Describes a difference from the reference: in percent of it, or in points for percentages of charges. */
function describeDifference(base: Amount, rate: Amount, unit: string): string | undefined {
  const difference = subtractAmounts(rate, base)
  if (difference === 0) return 'same'
  const sign = difference > 0 ? '+' : '−'
  if (unit === 'percent_of_charges') return `${sign}${formatShare(Math.abs(difference))}\u00a0points`
  return Number(base) > 0 ? `${sign}${formatShare(Math.abs(percentAbove(base, rate)))}\u00a0%` : undefined
}

/** Shows what a plan has that lacks the shared basis: single services before others, then the basis of most values. */
function showException(code: ComparableCode, key: string, weight: SummaryWeight): MatrixCell {
  const candidates = code.bases.flatMap((basis) => {
    const rows = basis.kinds.filter((kind) => keyOfPlan(planOf(at(kind, 0))) === key).flat()
    const isSingle = isSingleService(basis.arrangement)
    return rows.length === 0 ? [] : [{ basis, rows, isSingle, values: countValues(rows, weight) }]
  })
  const best = at(
    candidates.sort((a, b) => Number(b.isSingle) - Number(a.isSingle) || b.values - a.values),
    0,
  )
  return {
    group: at(groupPrices(best.rows, weight), 0),
    basis: best.basis,
    exception: describeException(best.basis, at(code.bases, 0)),
    isLowest: false,
  }
}

/** Names the terms, modifiers or places of a basis that the shared one does not have. */
function describeException(basis: ComparableRows, shared: ComparableRows): string {
  const [row, sharedRow] = [basis, shared].map(({ kinds }) => at(at(kinds, 0), 0))
  const terms = termColumns.map((column) => [showValue(row?.[column]), showValue(sharedRow?.[column])])
  const words = [
    ...terms.flatMap(([term = '', sharedTerm]) => (term === '' || term === sharedTerm ? [] : [term])),
    ...(basis.basis.modifiers === shared.basis.modifiers ? [] : [describeModifiers(basis)]),
    ...(basis.places.some((place) => shared.places.includes(place)) ? [] : [listPlaceCodes(basis)]),
  ]
  if (words.length > 0) return words.join(', ')
  return basis.basis.unit === shared.basis.unit ? 'other terms' : nameUnit(basis.basis.unit)
}

/** Returns the terms that most codes share, of several the first in the order of codes. */
export function findUsualTerms(codes: readonly ComparableCode[]): readonly string[] {
  const [usual] = [...Map.groupBy(codes, ({ bases }) => at(bases, 0).terms.join('\n')).values()].sort(
    (a, b) => b.length - a.length,
  )
  return usual === undefined ? [] : at(at(usual, 0).bases, 0).terms
}

/** True if the rows of a matrix are of several classes, so that each must say its own. */
export const haveClasses = (codes: readonly ComparableCode[]): boolean =>
  new Set(codes.map(({ basis }) => basis.billingClass)).size > 1

/** Names what a reader would not expect of the row of a code: modifiers, and terms other than those of most rows. */
export function tagBasis(basis: ComparableRows, usualTerms: readonly string[]): readonly string[] {
  const { terms } = basis
  const unusual = terms.filter((term) => !usualTerms.includes(term))
  const isOther = terms.join('\n') !== usualTerms.join('\n')
  return [
    ...(basis.basis.modifiers === '' ? [] : [describeModifiers(basis)]),
    ...(isOther && unusual.length === 0 ? ['other terms'] : unusual),
  ]
}

/** Describes what all prices of a row have in common. */
export const describeBasis = (rows: ComparableRows): string =>
  [
    nameClass(rows.basis.billingClass),
    nameUnit(rows.basis.unit),
    describeModifiers(rows),
    describePlaces(rows),
    ...rows.terms,
  ].join(' · ')

const describeModifiers = ({ basis: { modifiers } }: ComparableRows) =>
  modifiers === '' ? 'no modifiers' : `modifier ${modifiers}`

/** Maximum number of places whose names have room below a code. */
const maxNamedPlaces = 2

/** Names the places of a row; of many, only the codes have room. */
function describePlaces(rows: ComparableRows): string {
  const { places } = rows
  const hasNames = places.length <= maxNamedPlaces && !places.includes('') && !places.includes(everywhere)
  return hasNames ? places.map(namePlace).join(', ') : listPlaceCodes(rows)
}

function listPlaceCodes({ places }: ComparableRows): string {
  if (places.includes('')) return 'no place'
  if (places.includes(everywhere)) return 'any place'
  if (places.includes(many)) return namePlace(many)
  return `${places.length === 1 ? 'place' : 'places'} ${places.join(', ')}`
}
