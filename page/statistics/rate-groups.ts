import { type Amount, exactAmount, subtractAmounts } from '../../client/results/amounts.ts'
import { compareTexts } from '../../client/results/compare-texts.ts'
import { showValue } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { type SummaryWeight, summaryWeights } from '../../contract/summaries.ts'
import { Decimal } from '../../parquet/decimal.ts'
import { at } from '../../schema/at.ts'
import {
  codesByName,
  everywhere,
  identifyThing,
  placesOf as placesIn,
  termColumns,
} from '../../schema/summary/definition.ts'
import { percentileOf, percentiles } from '../../schema/summary/percentiles.ts'

/**
 * A value of a statistic, which counts once: a TIN, a published price or an NPI with an amount. Under the weight
 * `tins`, a value may be written as several prices, and a price may give a value to several TINs.
 */
export interface Price {
  /** The nearest double of the amount, which places and compares it. */
  readonly rate: number
  readonly amount: Amount
  /** One of its NPIs. */
  readonly npi: string
  /** The name of the provider; of its TIN, if the value has several NPIs or the provider's name is unknown. */
  readonly name: string
  readonly npiCount: number
  /** The rows of the result that have the value. */
  readonly rows: readonly ResultRow[]
}

/** The prices of one fee schedule on the same terms, ascending, each counted once by the weight. */
export interface RateGroup {
  readonly payer: string
  readonly plan: string
  readonly terms: readonly string[]
  readonly prices: readonly Price[]
  /** The prices at `percents`, which were published: never values between two of them. */
  readonly percentiles: readonly Amount[]
  /** The months of publication, such as `2026-11`, ascending. */
  readonly months: readonly string[]
}

/** The percentiles of a group. */
const percents: readonly number[] = percentiles.map(({ percent }) => percent)

/** @param percent one of `percents` */
export const percentileAt = ({ percentiles: amounts }: RateGroup, percent: number): Amount =>
  at(amounts, percents.indexOf(percent))

export const medianOf = (group: RateGroup): Amount => percentileAt(group, 50)

/** Compares the medians of two groups, for a sort in ascending order. */
export const compareMedians = (one: RateGroup, other: RateGroup): number =>
  subtractAmounts(medianOf(one), medianOf(other))

/** A value that rows are narrowed by. */
export interface Choice {
  readonly value: string
  readonly rows: readonly ResultRow[]
  /** Number of prices, each counted once by the weight. */
  readonly prices: number
}

/** The columns that prices are grouped, counted and named by. */
export const pricedColumns = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'billing_code_modifier', 'negotiated_rate', 'rate_unit'],
  ...['npi', 'provider_name', 'tin_business_name', 'service_code', 'name', 'price_id', 'flags', ...termColumns],
  ...['tin_type', 'tin_value'],
]

/** The columns that say where a price comes from. A result may lack them. */
export const originColumns = ['source_file', 'last_updated_on', 'provider_group_npi_count']

/** Identifies the value of a row; undefined if the row does not count under the weight. */
export function identifyValue(row: ResultRow, weight: SummaryWeight): string | undefined {
  const thing = identifyThing(weight, row)
  if (thing === undefined) return undefined
  const { negotiated_rate: rate } = row
  return thing + (rate instanceof Decimal ? `${rate.unscaled}/${rate.scale}` : String(rate))
}

/** Writes the values of columns as a key of a row. */
export function keyOfColumns(row: ResultRow, columns: readonly string[]): string {
  let key = ''
  for (const column of columns) {
    const value = row[column]
    key += value === null || value === undefined ? '\0' : `\n${typeof value === 'string' ? value : showValue(value)}`
  }
  return key
}

/** Returns the weights under which any row counts: an own relation of the operator may have no ids of prices. */
export const listWeights = (rows: readonly ResultRow[]): readonly SummaryWeight[] =>
  summaryWeights.filter((weight) => rows.some((row) => identifyThing(weight, row) !== undefined))

/** Returns the names of a row's fee schedule. */
export const planOf = ({ payer, plan }: ResultRow) => ({ payer: showValue(payer), plan: showValue(plan) })

const keyOfPlan = (row: ResultRow) => `${row['payer']}\n${row['plan']}`

/** Makes one row of each price of a fee schedule. A column in which its rows differ, such as the NPI, has a list. */
export const mergePrices = (rows: readonly ResultRow[]): readonly ResultRow[] =>
  [...Map.groupBy(rows, (row, at) => [row['payer'], row['plan'], row['price_id'] ?? at].join('\n')).values()].map(
    (members) =>
      Object.fromEntries(
        Object.keys(members[0] ?? {}).map((column) => {
          const values = [...new Map(members.map((row) => [showValue(row[column]), row[column]])).values()]
          return [column, values.length === 1 ? values[0] : values.filter((value) => value !== null)]
        }),
      ),
  )

/** Returns one row of each price for each thing that counts by the weight, and none of rows that do not count. */
export function keepOneRowPerValue(rows: readonly ResultRow[], weight: SummaryWeight): readonly ResultRow[] {
  const keys = new Set<string>()
  return rows.filter((row) => {
    const thing = identifyThing(weight, row)
    if (thing === undefined) return false
    if (row['price_id'] == null) return true
    const key = `${keyOfPlan(row)}\n${row['price_id']}\n${thing}`
    return !keys.has(key) && keys.add(key)
  })
}

/** Returns the number of values of rows, each counted once in its fee schedule by the weight. */
export function countValues(rows: readonly ResultRow[], weight: SummaryWeight): number {
  const values = new Set<string>()
  for (const row of rows) {
    const value = identifyValue(row, weight)
    if (value !== undefined) values.add(`${keyOfPlan(row)}\n${value}`)
  }
  return values.size
}

/** Lists codes with their types; of the type for all services, names tell them apart. */
export const listCodes = (rows: readonly ResultRow[], weight: SummaryWeight) =>
  choose(rows, weight, (row) => [nameCode(row)])

/** Names the code of a row with its type. */
export const nameCode = ({ billing_code_type: type, billing_code: code, name }: ResultRow): string =>
  `${type} ${code}${type === codesByName ? ` ${showValue(name)}` : ''}`

export const listClasses = (rows: readonly ResultRow[], weight: SummaryWeight) =>
  choose(rows, weight, (row) => [showValue(row['billing_class'])])

export const listUnits = (rows: readonly ResultRow[], weight: SummaryWeight) =>
  choose(rows, weight, (row) => [showValue(row['rate_unit'])])

export const listModifiers = (rows: readonly ResultRow[], weight: SummaryWeight) =>
  choose(rows, weight, (row) => [showValue(row['billing_code_modifier'])])

/**
 * Lists places of service, each with the prices that hold there: prices for all places hold in each. The place of
 * prices without any is ''.
 */
export function listPlaces(rows: readonly ResultRow[], weight: SummaryWeight): readonly Choice[] {
  const namedPlaces = [...new Set(rows.flatMap(placesOf))].filter((place) => place !== '' && place !== everywhere)
  return choose(rows, weight, (row) => {
    const places = placesOf(row)
    return places.includes(everywhere) && namedPlaces.length > 0 ? namedPlaces : places
  })
}

/** Returns the places at which a row's price holds; '' stands for a price without places. */
export const placesOf = ({ service_code: places }: ResultRow): readonly string[] =>
  placesIn(Array.isArray(places) ? places.map(String) : null).map((place) => place ?? '')

/** Lists the values of rows that count, the value with the most prices first. */
function choose(
  rows: readonly ResultRow[],
  weight: SummaryWeight,
  valuesOf: (row: ResultRow) => readonly string[],
): readonly Choice[] {
  const rowsByValue = new Map<string, ResultRow[]>()
  for (const row of rows)
    for (const value of valuesOf(row)) {
      const rowsOfValue = rowsByValue.get(value)
      if (rowsOfValue === undefined) rowsByValue.set(value, [row])
      else rowsOfValue.push(row)
    }
  return [...rowsByValue]
    .map(([value, rowsOfValue]) => ({ value, rows: rowsOfValue, prices: countValues(rowsOfValue, weight) }))
    .filter(({ prices }) => prices > 0)
    .sort((a, b) => b.prices - a.prices || compareTexts(a.value, b.value))
}

const groupColumns = ['payer', 'plan', ...termColumns]

/**
 * Groups rows of one code, class, unit, modifiers and place by fee schedule and terms, the lowest median first. A group
 * without a value that counts is left out.
 */
export function groupPrices(rows: readonly ResultRow[], weight: SummaryWeight): readonly RateGroup[] {
  return [...Map.groupBy(rows, (row) => keyOfColumns(row, groupColumns)).values()]
    .flatMap((members) => {
      const values = Map.groupBy(members, (row) => identifyValue(row, weight))
      values.delete(undefined)
      if (values.size === 0) return []
      const first = at(members, 0)
      const prices = [...values.values()].map(readPrice).sort((a, b) => subtractAmounts(a.amount, b.amount))
      return {
        ...planOf(first),
        terms: termsOf(first),
        prices,
        percentiles: percents.map((percent) => percentileOf(prices, percent).amount),
        months: [...new Set(members.map(monthOf))].filter((month) => month !== '').sort(),
      }
    })
    .sort((a, b) => compareMedians(a, b) || compareTexts(nameGroup(a), nameGroup(b)))
}

const namedTerms = termColumns.filter((column) => column !== 'billing_class')

const nameGroup = ({ payer, plan, terms }: RateGroup) => [plan, payer, ...terms].join('\n')

/** Returns the published terms of a row but its class, which is a choice of its own. */
export const termsOf = (row: ResultRow): readonly string[] =>
  namedTerms.map((column) => showValue(row[column])).filter((term) => term !== '')

/** Returns the texts that all lists have, in the order of the first. */
export const listCommon = ([first, ...others]: readonly (readonly string[])[]): readonly string[] =>
  first?.filter((text) => others.every((list) => list.includes(text))) ?? []

/** Returns the terms that all groups have, in the order of the first. */
export const listSharedTerms = (groups: readonly RateGroup[]): readonly string[] =>
  listCommon(groups.map(({ terms }) => terms))

/** The month in which a row's file was last updated; empty if an own relation of the operator does not know it. */
export const monthOf = (row: ResultRow): string => showValue(row['last_updated_on']).slice(0, 7)

function readPrice(rows: readonly ResultRow[]): Price {
  const npis = [...new Set(rows.map((row) => showValue(row['npi'])))].sort()
  const amount = exactAmount(showValue(at(rows, 0)['negotiated_rate']))
  const npi = at(npis, 0)
  const row = rows.find((member) => showValue(member['npi']) === npi)
  const [person, group] = [row?.['provider_name'], row?.['tin_business_name']]
  // A value of many providers is that of their TIN; the name of one of them would say less.
  const name = npis.length > 1 ? (group ?? person) : (person ?? group)
  return { rate: Number(amount), amount, npi, npiCount: npis.length, name: showValue(name), rows }
}
