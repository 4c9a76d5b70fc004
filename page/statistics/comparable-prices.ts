import { compareTexts } from '../../client/results/compare-texts.ts'
import { showValue } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { at } from '../../schema/at.ts'
import { isDoubtful, termColumns } from '../../schema/summary/definition.ts'
import {
  groupPrices,
  identifyValue,
  keepOneRowPerValue,
  keyOfColumns,
  listClasses,
  listModifiers,
  listPlaces,
  listUnits,
  nameCode,
  type RateGroup,
  termsOf,
} from './rate-groups.ts'

/** The class, unit, modifiers and place of service that prices have in common. */
export interface Basis {
  /** Who bills: `professional`, `institutional`, `both`, or empty if it was not published. */
  readonly billingClass: string
  readonly unit: string
  readonly modifiers: string
  readonly place: string
}

/** The prices of one code that can be compared: of one class, unit, modifiers, place and terms. */
export interface ComparablePrices {
  /** The code's type and number, such as `CPT 99213`. */
  readonly code: string
  /** The code's description, empty if none was published. */
  readonly name: string
  readonly basis: Basis
  /** The negotiation arrangement, such as `ffs` or `bundle`; empty if none was published. */
  readonly arrangement: string
  /** At most one group for each fee schedule, the lowest median first. */
  readonly groups: readonly RateGroup[]
}

/** The rows of one code that can be compared: of one class, unit, modifiers and terms, at places of equal prices. */
export interface ComparableRows {
  /** Its place is the first of `places`. */
  readonly basis: Basis
  readonly places: readonly string[]
  readonly terms: readonly string[]
  readonly arrangement: string
  /** Rows by kind: rows of a kind differ in nothing but their providers and amounts. */
  readonly kinds: readonly Rows[]
}

/** A code and a class with the prices on the basis that most fee schedules share, and all bases of the class. */
export interface ComparableCode extends ComparablePrices {
  /** True for the first class of a code: that of the basis that most fee schedules share. Codes are compared by it. */
  readonly isMain: boolean
  /** The rows of each basis of the class, the shared one first. */
  readonly bases: readonly ComparableRows[]
}

/** True if the amount of a row may not be a rate. An own relation of the operator may have no flags. */
export const isDoubtfulRow = ({ flags }: ResultRow): boolean =>
  isDoubtful(Array.isArray(flags) ? flags.map(String) : null)

type Rows = readonly ResultRow[]

/** Arrangements that pay for more than one service. Source: CMS schema, `negotiation_arrangement`. */
const arrangementsOfSeveral = ['bundle', 'capitation']

/** True for an arrangement whose amount is for the code alone, and not for a bundle or capitation. */
export const isSingleService = (arrangement: string): boolean => !arrangementsOfSeveral.includes(arrangement)

const arrangementOf = (row: ResultRow | undefined) => showValue(row?.['negotiation_arrangement'])

const writeTerms = (row: ResultRow) => keyOfColumns(row, termColumns)

const kindColumns = ['payer', 'plan', 'rate_unit', 'billing_code_modifier', 'service_code', ...termColumns]

/** Identifies the kind of a row of a code: rows of a kind differ in nothing but their providers and amounts. */
export const identifyKind = (row: ResultRow): string => keyOfColumns(row, kindColumns)

const divideIntoKinds = (rows: Rows): readonly Rows[] => [...Map.groupBy(rows, identifyKind).values()]

/** The facts by which the bases of a comparison are ordered. */
interface Rank {
  readonly isSingle: boolean
  /** True without modifiers, if at least half of the fee schedules with the code have it. */
  readonly isPlain: boolean
  readonly plans: number
  readonly values: number
  readonly key: string
}

/**
 * Orders the bases of a comparison: single services before bundles and capitation, then what at least half of the fee
 * schedules have without modifiers, then the basis of most fee schedules, then of most prices (docs/adr/0051). The
 * order depends on the prices alone, and neither on the order of rows nor on how a payer groups providers.
 */
const compareRanks = (a: Rank, b: Rank) =>
  Number(b.isSingle) - Number(a.isSingle) ||
  Number(b.isPlain) - Number(a.isPlain) ||
  b.plans - a.plans ||
  b.values - a.values ||
  compareTexts(a.key, b.key)

/** Returns the number of values of a kind, whose rows are of one fee schedule. */
const countOfKind = (kind: Rows, weight: SummaryWeight) =>
  new Set(kind.map((row) => identifyValue(row, weight)).filter((value) => value !== undefined)).size

const countPlans = (rows: Rows) => new Set(rows.map((row) => keyOfColumns(row, ['payer', 'plan']))).size

interface RankFacts {
  /** The kinds of one basis. */
  readonly kinds: readonly Rows[]
  /** Returns the number of values of a kind. */
  readonly count: (kind: Rows) => number
  readonly modifiers: string
  /** Number of fee schedules that are compared. */
  readonly allPlans: number
  readonly key: string
}

function rankKinds({ kinds, count, modifiers, allPlans, key }: RankFacts): Rank {
  const firsts = kinds.map((kind) => at(kind, 0))
  const plans = countPlans(firsts)
  return {
    isSingle: firsts.every((row) => isSingleService(arrangementOf(row))),
    isPlain: modifiers === '' && plans * 2 >= allPlans,
    plans,
    values: kinds.reduce((sum, kind) => sum + count(kind), 0),
    key,
  }
}

/** The bases on which rows of one code can be compared, the shared one first, and the number of their values. */
interface BasesOfCode {
  readonly bases: readonly ComparableRows[]
  readonly values: number
}

/** Divides rows of one code by class, unit, modifiers, place and terms. A row is in a part for each of its places. */
const listParts = (rows: Rows, weight: SummaryWeight) =>
  listClasses(rows, weight).flatMap((billingClass) =>
    listUnits(billingClass.rows, weight).flatMap((unit) =>
      listModifiers(unit.rows, weight).flatMap((modifiers) =>
        listPlaces(modifiers.rows, weight).flatMap((place) =>
          [...Map.groupBy(place.rows, writeTerms).values()].map((firsts) => ({
            basis: {
              billingClass: billingClass.value,
              unit: unit.value,
              modifiers: modifiers.value,
              place: place.value,
            },
            firsts,
          })),
        ),
      ),
    ),
  )

function listBases(rows: Rows, weight: SummaryWeight): BasesOfCode {
  // Thousands of rows are of one kind: its first row stands for all in the lists below.
  const kinds = new Map(divideIntoKinds(rows).map((kind) => [at(kind, 0), kind]))
  const order = new Map([...kinds.keys()].map((row, index) => [row, index]))
  const counts = new Map([...kinds.values()].map((kind) => [kind, countOfKind(kind, weight)]))
  const allPlans = countPlans([...kinds.keys()])
  const parts = listParts([...kinds.keys()], weight)
  const partsOfSameRows = Map.groupBy(parts, ({ basis, firsts }) =>
    JSON.stringify([basis.unit, basis.modifiers, firsts.map((row) => order.get(row))]),
  )
  const bases = [...partsOfSameRows.values()]
    .map((alike) => {
      const { basis, firsts } = at(alike, 0)
      const places = alike.map((part) => part.basis.place).sort(compareTexts)
      const kindsOfBasis = firsts.flatMap((row) => {
        const kind = kinds.get(row)
        return kind === undefined ? [] : [kind]
      })
      const first = at(firsts, 0)
      const comparable: ComparableRows = {
        basis: { ...basis, place: at(places, 0) },
        places,
        terms: termsOf(first),
        arrangement: arrangementOf(first),
        kinds: kindsOfBasis,
      }
      const key = JSON.stringify([basis.unit, basis.modifiers, places, writeTerms(first)])
      const count = (kind: Rows) => counts.get(kind) ?? 0
      const { modifiers } = basis
      return { comparable, rank: rankKinds({ kinds: kindsOfBasis, count, modifiers, allPlans, key }) }
    })
    .sort((a, b) => compareRanks(a.rank, b.rank))
    .map(({ comparable }) => comparable)
  return { bases, values: [...counts.values()].reduce((sum, count) => sum + count, 0) }
}

/** Returns the rows on the terms that most fee schedules share, of rows of one code and basis. */
function keepSharedTerms(rows: Rows, weight: SummaryWeight): Rows {
  const count = (kind: Rows) => countOfKind(kind, weight)
  const allPlans = countPlans(rows)
  const parts = [...Map.groupBy(rows, writeTerms)].map(([key, part]) => ({
    part,
    // All of these rows have the same modifiers, which therefore order nothing.
    rank: rankKinds({ kinds: divideIntoKinds(part), count, modifiers: '', allPlans, key }),
  }))
  const [shared] = parts.sort((a, b) => compareRanks(a.rank, b.rank))
  return shared?.part ?? []
}

const describePrices = (code: string, basis: Basis, rows: Rows, weight: SummaryWeight): ComparablePrices => ({
  code,
  basis,
  name: showValue(rows[0]?.['name']),
  arrangement: arrangementOf(rows[0]),
  groups: groupPrices(rows, weight),
})

/** The prices of one code and basis. */
interface NarrowedPrices {
  /** The prices on the terms that most fee schedules share. */
  readonly shared: ComparablePrices
  /** All groups: those on the shared terms, then those on other terms. */
  readonly groups: readonly RateGroup[]
}

/** Compares rows of one code and basis. */
export function compareRows(code: string, basis: Basis, rows: Rows, weight: SummaryWeight): NarrowedPrices {
  const sharedRows = keepSharedTerms(rows, weight)
  const members = new Set(sharedRows)
  const shared = describePrices(code, basis, sharedRows, weight)
  const rowsOnOtherTerms = rows.filter((row) => !members.has(row))
  return { shared, groups: [...shared.groups, ...groupPrices(rowsOnOtherTerms, weight)] }
}

/** Returns the prices of each code that can be compared, a class after the other: the main one of a code first. */
export const compareCodes = (rows: Rows, weight: SummaryWeight): readonly ComparableCode[] =>
  // One row of a value says enough here, and a result may have hundreds of rows for each.
  [...Map.groupBy(keepOneRowPerValue(rows, weight), nameCode)]
    .map(([code, codeRows]) => {
      const { bases, values } = listBases(codeRows, weight)
      const classes = [...Map.groupBy(bases, ({ basis }) => basis.billingClass).values()]
      const prices = classes.map((ofClass, index): ComparableCode => {
        const { basis, kinds } = at(ofClass, 0)
        return { ...describePrices(code, basis, kinds.flat(), weight), isMain: index === 0, bases: ofClass }
      })
      return { code, values, prices }
    })
    .sort((a, b) => b.values - a.values || compareTexts(a.code, b.code))
    .flatMap(({ prices }) => prices)
