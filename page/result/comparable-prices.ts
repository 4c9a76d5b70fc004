import { showValue } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { at } from '../../schema/at.ts'
import { isDoubtful, termColumns } from '../../schema/summary/definition.ts'
import {
  countPrices,
  groupPrices,
  keepOneRowPerPrice,
  listCodes,
  listModifiers,
  listPlaces,
  listUnits,
  type RateGroup,
} from './rate-groups.ts'

/** The unit, modifiers and place of service that prices have in common. */
export interface Basis {
  readonly unit: string
  readonly modifiers: string
  readonly place: string
}

/** The prices of one code that can be compared: of one unit, modifiers, place and terms. */
export interface ComparablePrices {
  /** The code's type and number, such as `CPT 99213`. */
  readonly code: string
  /** The code's description, empty if none was published. */
  readonly name: string
  readonly unit: string
  /** At most one group for each fee schedule, the lowest median first. */
  readonly groups: readonly RateGroup[]
}

/** The prices of a code that can be compared, on the basis that most fee schedules share. */
export interface ComparableCode extends ComparablePrices {
  readonly basis: Basis
}

/** True if the amount of a row may not be a rate. An own relation of the operator may have no flags. */
export const isDoubtfulRow = ({ flags }: ResultRow): boolean =>
  isDoubtful(Array.isArray(flags) ? flags.map(String) : null)

type Rows = readonly ResultRow[]

const countPlans = (rows: Rows) => new Set(rows.map(({ payer, plan }) => `${payer}\n${plan}`)).size

const writeTerms = (row: ResultRow) => JSON.stringify(termColumns.map((column) => row[column] ?? null))

/** Returns the part that most fee schedules share; of parts that are shared alike, the one with most prices. */
const findBroadest = <Part>(parts: readonly Part[], rowsOf: (part: Part) => Rows, count: (rows: Rows) => number) => {
  const compare = (one: Rows, other: Rows) => countPlans(one) - countPlans(other) || count(one) - count(other)
  return parts.reduce((best, part) => (compare(rowsOf(part), rowsOf(best)) > 0 ? part : best))
}

/** Returns the rows on the terms that most fee schedules share. */
const keepSharedTerms = (rows: Rows, count = countPrices): Rows =>
  rows.length === 0 ? [] : findBroadest([...Map.groupBy(rows, writeTerms).values()], (part) => part, count)

/** Returns the rows on other terms than those that most fee schedules share. */
export function keepOtherTerms(rows: Rows): Rows {
  const shared = new Set(keepSharedTerms(rows))
  return rows.filter((row) => !shared.has(row))
}

/**
 * Finds the prices of one code that most fee schedules have on the same basis and terms, so that a comparison leaves out
 * as few of them as possible.
 */
function findComparable(prices: Rows): { readonly basis: Basis; readonly rows: Rows } {
  // Thousands of prices differ in nothing but their amounts: one of them stands for all in the lists below.
  const columns = ['payer', 'plan', 'rate_unit', 'billing_code_modifier', 'service_code', ...termColumns]
  const alike = Map.groupBy(prices, (row) => JSON.stringify(columns.map((column) => row[column] ?? null)))
  const likenesses = new Map([...alike.values()].map((rows) => [at(rows, 0), rows]))
  const restore = (rows: Rows) => rows.flatMap((row) => likenesses.get(row) ?? [])
  const count = (rows: Rows) => rows.reduce((sum, row) => sum + (likenesses.get(row)?.length ?? 0), 0)
  const candidates = listUnits([...likenesses.keys()]).flatMap((unit) =>
    listModifiers(unit.rows).flatMap((modifiers) =>
      listPlaces(modifiers.rows).map((place) => ({
        basis: { unit: unit.value, modifiers: modifiers.value, place: place.value },
        rows: keepSharedTerms(place.rows, count),
      })),
    ),
  )
  const { basis, rows } = findBroadest(candidates, (candidate) => candidate.rows, count)
  return { basis, rows: restore(rows) }
}

const describePrices = (code: string, unit: string, rows: Rows): ComparablePrices => ({
  code,
  unit,
  name: showValue(rows[0]?.['name'] ?? null),
  groups: groupPrices(rows),
})

/** Returns the prices that can be compared among rows of one code, unit, modifiers and place. */
export const compareRows = (code: string, unit: string, rows: Rows): ComparablePrices =>
  describePrices(code, unit, keepSharedTerms(rows))

/** Returns the prices of each code that can be compared. */
export const compareCodes = (rows: Rows): readonly ComparableCode[] =>
  // One row of a price says enough here, and a result may have hundreds of rows for each.
  listCodes(keepOneRowPerPrice(rows)).map(({ value, rows: codeRows }) => {
    const { basis, rows: comparable } = findComparable(codeRows)
    return { ...describePrices(value, basis.unit, comparable), basis }
  })
