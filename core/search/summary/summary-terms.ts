import { type FlagName, flagNames, rowFlags } from '../../../schema/columns/flags.ts'
import { type ColumnName, ratesColumns } from '../../../schema/columns/rates.ts'
import { codesByName, doubtfulFlags, groupColumns, many, maxListed } from '../../../schema/summary/definition.ts'
import { placeColumn } from '../../../schema/summary/summary-columns.ts'
import { literal } from '../sql.ts'

/**
 * The SQL by which the terms and places of prices become numbers (docs/adr/0071). A price has fifteen texts and lists
 * that say in which rows of a summary it counts, and they are far longer than the facts that are counted.
 */

/** The common table with the distinct terms of the requested prices at their places, and the number of each. */
export const numberedTerms = 'numbered_terms'

/**
 * The number of terms at a place, among those of one code: so the numbering of many codes is spread over all nodes, as
 * Trino numbers a whole table on a single one.
 */
export const termsNumber = 'terms_number'

/** The columns of a row that say which plan it is about; the others of `groupColumns` are its terms. */
const planColumns: readonly ColumnName[] = ['payer', 'plan']

/** The code of a group, under a name that its terms do not have. */
export const codeOfGroup = 'code_of_group'

const terms = groupColumns.filter((name) => !planColumns.includes(name))

const isList = (name: ColumnName) =>
  ratesColumns.some((column) => column.name === name && column.type === 'varchar ARRAY')

/** Only names tell some codes apart, and no others. */
export const nameOfCode = (type: string, name: string): string =>
  `CASE WHEN ${type} = ${literal(codesByName)} THEN ${name} END`

const termValue = (name: ColumnName, table: string) =>
  name === 'name' ? nameOfCode(`${table}.billing_code_type`, `${table}.name`) : `${table}.${name}`

/** The elements by which a list is divided: NULL if it has none, and a single one if it has many. */
export const listElements = (list: string, isMany: string): string =>
  [
    `CASE WHEN ${isMany} THEN ARRAY[${literal(many)}]`,
    `WHEN cardinality(${list}) > 0 THEN ${list} ELSE CAST(ARRAY[NULL] AS varchar ARRAY) END`,
  ].join(' ')

export const listPlaces = (list: string): string => listElements(list, `cardinality(${list}) > ${maxListed}`)

/**
 * Writes the SELECT of the table `numberedTerms`. It is read twice, and Trino computes it each time, so the numbers
 * must be the same each time: those of a dense rank depend on the values alone. Lists are ranked by their JSON, which
 * differs if they do, because Trino cannot order lists with NULLs.
 *
 * @param prices the name of the table of the requested prices
 */
export function numberTerms(prices: string): string {
  const items = terms.map((name) => `${termValue(name, 'prices')} AS ${name}`)
  const order = terms
    .filter((name) => name !== 'billing_code')
    .map((name) => (isList(name) ? `json_format(CAST(${name} AS json))` : name))
  return [
    `SELECT ${[...terms, 'service_code', placeColumn.name].join(', ')},`,
    `  dense_rank() OVER (PARTITION BY billing_code ORDER BY ${[...order, placeColumn.name].join(', ')}) AS ${termsNumber}`,
    `FROM (SELECT *, ${listPlaces('service_code')} AS listed_places`,
    `  FROM (SELECT DISTINCT ${[...items, 'prices.service_code'].join(', ')} FROM ${prices} AS prices) AS distinct_terms) AS terms`,
    `CROSS JOIN UNNEST(terms.listed_places) AS of_places (${placeColumn.name})`,
  ].join('\n')
}

/**
 * Writes the SELECT of prices with the numbers of their terms at their places, as the list `places`.
 *
 * @param prices the name of the table of the requested prices
 * @param columns that are returned
 */
export function joinTerms(prices: string, columns: readonly string[]): string {
  const keys = [...terms, 'service_code'] as const
  const numbers = [
    `SELECT ${keys.join(', ')}, array_sort(array_agg(${termsNumber})) AS places`,
    `FROM ${numberedTerms} GROUP BY ${keys.join(', ')}`,
  ].join(' ')
  const items = [
    ...columns.map((name) => `prices.${name}`),
    'numbers.places',
    'cardinality(prices.service_code) AS place_count',
    `${flagBitsOf('prices.amount_flags')} AS amount_bits`,
  ]
  return [
    `SELECT ${items.join(', ')}`,
    `FROM ${prices} AS prices`,
    `JOIN (${numbers}) AS numbers`,
    `  ON ${keys.map((name) => areSame(termValue(name, 'prices'), `numbers.${name}`, name)).join('\n  AND ')}`,
  ].join('\n')
}

/** The join of groups of prices to the terms and the place that their numbers stand for. */
export const nameTerms = [
  `JOIN (SELECT DISTINCT ${[...terms, placeColumn.name, termsNumber].join(', ')} FROM ${numberedTerms}) AS named_terms`,
  `  ON named_terms.${termsNumber} = groups_of_prices.${termsNumber}`,
  `  AND ${areSame(codeOfGroup, 'named_terms.billing_code', 'billing_code')}`,
].join('\n')

/**
 * True if two values are the same or both NULL. Trino joins by equations only: the first half finds candidates, and the
 * second is exact.
 */
function areSame(one: string, other: string, name: ColumnName): string {
  const text = (value: string) => (isList(name) ? `array_join(${value}, ',')` : value)
  return `COALESCE(${text(one)}, '') = COALESCE(${text(other)}, '') AND ${one} IS NOT DISTINCT FROM ${other}`
}

/** The bit of `flag_bits` that says that a price is left out; each flag has the one of its place among the names. */
export const doubtfulMark = 2 ** flagNames.length
export const bitOf = (flag: FlagName): number => 2 ** flagNames.indexOf(flag)

/** Writes a list of flags as the bits of a number, so that those that all prices of a value have are one `AND`. */
export function flagBitsOf(flags: string): string {
  const has = (names: readonly string[]) => names.map((name) => `contains(${flags}, ${literal(name)})`).join(' OR ')
  const bits = [
    ...flagNames.map((flag) => `CASE WHEN ${has([flag])} THEN ${bitOf(flag)} ELSE 0 END`),
    `CASE WHEN ${has(doubtfulFlags)} THEN ${doubtfulMark} ELSE 0 END`,
  ]
  return `CAST(${bits.join(' + ')} AS bigint)`
}

/** The flag bits of a loaded price with those of the flags that each row decides. */
export const loadedFlagBits = flagNames.reduce((bits, flag) => {
  const { inView } = rowFlags[flag]
  return inView === undefined ? bits : `bitwise_or(${bits}, CASE WHEN ${inView} THEN ${bitOf(flag)} ELSE 0 END)`
}, 'negotiated_rates.amount_bits')
