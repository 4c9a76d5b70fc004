import { showValue } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { at } from '../../schema/at.ts'
import { everywhere, placesOf as placesIn, termColumns } from '../../schema/summary/definition.ts'
import { percentileOf, percentiles } from '../../schema/summary/percentiles.ts'

/** One published price, however many providers it is agreed with. */
export interface Price {
  readonly rate: number
  /** One of its NPIs. The name is that of the provider, or of the TIN if it has several providers or the provider's is unknown. */
  readonly npi: string
  readonly name: string
  readonly npiCount: number
  /** The rows that have it, one or more. */
  readonly rows: readonly ResultRow[]
}

/** The prices of one fee schedule on the same terms, ascending. */
export interface RateGroup {
  readonly payer: string
  readonly plan: string
  readonly terms: readonly string[]
  readonly prices: readonly Price[]
  /** The prices at `percents`, which were published: never values between two of them. */
  readonly percentiles: readonly number[]
}

/** The percentiles of a group. */
export const percents: readonly number[] = percentiles.map(({ percent }) => percent)

/** @param percent one of `percents` */
export const percentileAt = ({ percentiles: rates }: RateGroup, percent: number): number =>
  at(rates, percents.indexOf(percent))

export const medianOf = (group: RateGroup): number => percentileAt(group, 50)

/** A value that rows are narrowed by, with how many prices have it. */
export interface Choice {
  readonly value: string
  readonly rows: readonly ResultRow[]
  readonly prices: number
}

/** The columns that prices are grouped, counted and named by, and those that say where a price comes from. */
export const pricedColumns = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'billing_code_modifier', 'negotiated_rate', 'rate_unit'],
  ...['npi', 'provider_name', 'tin_business_name', 'service_code', 'name', 'price_id', 'flags', ...termColumns],
  ...['tin_type', 'tin_value', 'source_file', 'last_updated_on', 'provider_group_npi_count'],
]

/** The id of a row's price; an own relation of the operator may have none, and then the rate stands for it. */
const priceOf = (row: ResultRow) => showValue(row['price_id'] ?? row['negotiated_rate'])

/** One row for each price of a fee schedule. A column in which its rows differ, such as that of the NPIs, has a list. */
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

/** Returns one row of each price. A row without the id of a price stays. */
export function keepOneRowPerPrice(rows: readonly ResultRow[]): readonly ResultRow[] {
  const keys = new Set<string>()
  return rows.filter((row) => {
    if (row['price_id'] == null) return true
    const key = [row['payer'], row['plan'], row['price_id']].join('\n')
    return !keys.has(key) && keys.add(key)
  })
}

/** Returns the number of distinct prices of rows. */
export const countPrices = (rows: readonly ResultRow[]) => new Set(rows.map(priceOf)).size

/** Codes with their types; of the type for all services, names tell them apart. */
export const listCodes = (rows: readonly ResultRow[]) =>
  choose(rows, ({ billing_code_type: type, billing_code: code, name }) => [
    `${type} ${code}${type === 'CSTM-ALL' ? ` ${showValue(name)}` : ''}`,
  ])

export const listUnits = (rows: readonly ResultRow[]) => choose(rows, (row) => [showValue(row['rate_unit'])])

export const listModifiers = (rows: readonly ResultRow[]) =>
  choose(rows, (row) => [showValue(row['billing_code_modifier'])])

/** Places of service, each with the prices that hold there: those for all places hold in each. '' if none was published. */
export function listPlaces(rows: readonly ResultRow[]): readonly Choice[] {
  const placesOf = ({ service_code: places }: ResultRow) =>
    placesIn(Array.isArray(places) ? places.map(String) : null).map((place) => place ?? '')
  const named = [...new Set(rows.flatMap(placesOf))].filter((place) => place !== '' && place !== everywhere)
  return choose(rows, (row) => {
    const places = placesOf(row)
    return places.includes(everywhere) && named.length > 0 ? named : places
  })
}

/** Those with the most prices first. */
function choose(rows: readonly ResultRow[], valuesOf: (row: ResultRow) => readonly string[]): readonly Choice[] {
  const found = new Map<string, ResultRow[]>()
  for (const row of rows)
    for (const value of valuesOf(row)) {
      const own = found.get(value)
      if (own === undefined) found.set(value, [row])
      else own.push(row)
    }
  return [...found]
    .map(([value, own]) => ({ value, rows: own, prices: countPrices(own) }))
    .sort((a, b) => b.prices - a.prices || a.value.localeCompare(b.value, 'en', { numeric: true }))
}

/** Prices of one code, unit, modifier and place by fee schedule and terms, the lowest median first. */
export function groupPrices(rows: readonly ResultRow[]): readonly RateGroup[] {
  const keyOf = (row: ResultRow) =>
    JSON.stringify(['payer', 'plan', ...termColumns].map((column) => row[column] ?? null))
  return [...Map.groupBy(rows, keyOf).values()]
    .flatMap((members) => {
      const [first] = members
      if (first === undefined) return []
      const prices = [...Map.groupBy(members, priceOf).values()].map(readPrice).sort((a, b) => a.rate - b.rate)
      return {
        payer: showValue(first['payer']),
        plan: showValue(first['plan']),
        terms: termColumns.map((column) => showValue(first[column])).filter((term) => term !== ''),
        prices,
        percentiles: percents.map((percent) => percentileOf(prices, percent).rate),
      }
    })
    .sort((a, b) => medianOf(a) - medianOf(b))
}

function readPrice(rows: readonly ResultRow[]): Price {
  const npis = [...new Set(rows.map((row) => showValue(row['npi'])))].sort()
  const rate = Number(rows[0]?.['negotiated_rate'])
  const [npi = ''] = npis
  const row = rows.find((each) => showValue(each['npi']) === npi)
  const [person, group] = [row?.['provider_name'], row?.['tin_business_name']]
  // A price of many providers is that of their group; the name of one of them would say less.
  const name = npis.length > 1 ? (group ?? person) : (person ?? group)
  return { rate, npi, npiCount: npis.length, name: showValue(name), rows }
}
