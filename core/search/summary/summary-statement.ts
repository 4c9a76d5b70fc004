import type { SummaryRequest } from '../../../contract/summaries.ts'
import { flagNames } from '../../../schema/columns/flags.ts'
import { doubtfulFlags, groupColumns, many, maxListed, maxListedPairs } from '../../../schema/summary/definition.ts'
import { percentiles } from '../../../schema/summary/percentiles.ts'
import { columnsByDimension, flagColumn, placeColumn, summaryColumns } from '../../../schema/summary/summary-columns.ts'
import { literal } from '../sql.ts'
import {
  countedThings,
  dimensionsOf,
  isEin,
  type SummaryInputs,
  type Thing,
  thingOfWeight,
  thingsOf,
} from './summary-inputs.ts'

/**
 * The SQL of a summary, around the SELECT of the rows that it is about (docs/adr/0050).
 *
 * Each step has fewer rows than the one before: rows of prices; the distinct values, prices, TINs and files of each
 * group; the distinct amounts of each group with their numbers of values; the groups. A percentile is the least amount
 * whose cumulative number of values reaches its share: `approx_percentile` is not exact, and Trino has no other.
 */

/**
 * Writes the SELECT of a summary.
 *
 * @param rows the SELECT of the rows with the items of `inputs`
 * @param further items of the outermost SELECT after the columns
 */
export function summarizeRows(
  summary: SummaryRequest,
  { has }: Pick<SummaryInputs, 'has'>,
  rows: string,
  further: readonly string[],
): string {
  const group = [...groupColumns, placeColumn.name, ...dimensionsOf(summary).map(({ name }) => name)].join(', ')
  const items = summaryColumns.map(({ name, type }) => `  CAST(${itemOf(name, summary, has)} AS ${type}) AS ${name}`)
  const amounts = selectAmounts(summary, group, selectThings(summary, group, selectPlaces(summary, group, rows)))
  return [
    'SELECT',
    [...items, ...further].join(',\n'),
    `FROM (${selectGroups(group, selectRunning(group, amounts))}) AS groups_of_prices`,
  ].join('\n')
}

/** A price at each of its places and networks. */
function selectPlaces(summary: SummaryRequest, group: string, rows: string): string {
  const flagged = flagNames.map((flag) => `${hasOne([flag])} AS is_${flag}`)
  const counted = thingsOf(summary).map((thing) => countedThings[thing])
  const items = [group, 'amount', 'updated_on', ...counted, `${hasOne(doubtfulFlags)} AS is_doubtful`, ...flagged]
  return [
    `SELECT ${items.join(', ')}`,
    `FROM (${rows}) AS rows_of_prices`,
    unnest('places', placeColumn.name, `cardinality(places) > ${maxListed}`),
    ...(summary.by.includes('network') ? [unnest('networks', 'network', areManyNetworks)] : []),
    'WHERE amount IS NOT NULL',
  ].join('\n')
}

const areManyNetworks = [
  `cardinality(networks) > ${maxListed}`,
  `cardinality(places) * cardinality(networks) > ${maxListedPairs}`,
].join(' OR ')

/** A row for each element of a list, and one for a list without any, or with many. */
const unnest = (list: string, element: string, isMany: string) =>
  [
    `CROSS JOIN UNNEST(CASE WHEN ${isMany} THEN ARRAY[${literal(many)}]`,
    `WHEN cardinality(${list}) > 0 THEN ${list} ELSE CAST(ARRAY[NULL] AS varchar ARRAY) END) AS of_${list} (${element})`,
  ].join(' ')

/** 1 if a price has one of the flags, else 0. */
const hasOne = (flags: readonly string[]) =>
  `CASE WHEN arrays_overlap(price_flags, ARRAY[${flags.map(literal).join(', ')}]) THEN 1 ELSE 0 END`

/**
 * The distinct values of each group, and beside them the distinct things of each kind that it counts. One reading gives
 * all: a row has the kind of the set that it belongs to.
 */
function selectThings(summary: SummaryRequest, group: string, places: string): string {
  const kinds = thingsOf(summary)
  const columns = ['amount', ...kinds.map((thing) => countedThings[thing])]
  const sets = [valueColumns(summary), ...kinds.filter(isApart(summary)).map((thing) => [countedThings[thing]])]
  const flags = ['is_doubtful', ...flagNames.map((flag) => `is_${flag}`)].map((name) => `min(${name}) AS ${name}`)
  const dates = ['min(updated_on) AS oldest', 'max(updated_on) AS newest']
  return [
    `SELECT ${[group, ...columns, `grouping(${columns.join(', ')}) AS kind`, ...flags, ...dates].join(', ')}`,
    `FROM (${places}) AS prices_at_places`,
    `GROUP BY GROUPING SETS (${sets.map((set) => `(${group}, ${set.join(', ')})`).join(', ')})`,
  ].join('\n')
}

/** True for things with a set of their own. A price has one amount, so the values of the weight `prices` are prices. */
const isApart =
  ({ weight }: SummaryRequest) =>
  (thing: Thing): boolean =>
    thing !== 'price' || weight !== 'prices'

/** The columns that identify a value of the weight. */
const valueColumns = ({ weight }: SummaryRequest) => ['amount', countedThings[thingOfWeight[weight]]]

/** The number by which `grouping` marks a set: a bit for each column that is not in it, the first column highest. */
function kindOf(summary: SummaryRequest, set: readonly string[]): number {
  const columns = ['amount', ...thingsOf(summary).map((thing) => countedThings[thing])]
  return columns.reduce((bits, column) => bits * 2 + (set.includes(column) ? 0 : 1), 0)
}

/** The distinct amounts of each group with their numbers of values. Other things have no amount. */
function selectAmounts(summary: SummaryRequest, group: string, distinct: string): string {
  const isCounted = summary.includeDoubtful ? [] : ['is_doubtful = 0']
  const sum = (conditions: readonly string[]) => `sum(CASE WHEN ${conditions.join(' AND ')} THEN 1 ELSE 0 END)`
  const value = countedThings[thingOfWeight[summary.weight]]
  const isValue = [`kind = ${kindOf(summary, valueColumns(summary))}`, `${value} IS NOT NULL`]
  const kinds = thingsOf(summary)
  const countThing = (thing: Thing, ...conditions: readonly string[]) => {
    const column = countedThings[thing]
    if (!kinds.includes(thing)) return '0'
    if (!isApart(summary)(thing)) return sum([...isValue, ...conditions])
    return sum([`kind = ${kindOf(summary, [column])}`, `${column} IS NOT NULL`, ...conditions])
  }
  const isFile = `kind = ${kindOf(summary, [countedThings.file])}`
  const counts = [
    `${sum([...isValue, ...isCounted])} AS value_count`,
    `${countThing('price', ...isCounted)} AS price_count`,
    `${countThing('tin', isEin, ...isCounted)} AS ein_count`,
    `${countThing('tin', `NOT ${isEin}`, ...isCounted)} AS npi_tin_count`,
    `${countThing('npi', ...isCounted)} AS provider_count`,
    `${summary.includeDoubtful ? '0' : sum([...isValue, 'is_doubtful = 1'])} AS left_out_count`,
    ...flagNames.map((flag) => `${sum([...isValue, `is_${flag} = 1`])} AS ${flagColumn(flag)}`),
    `min(CASE WHEN ${isFile} THEN oldest END) AS oldest_last_updated_on`,
    `max(CASE WHEN ${isFile} THEN newest END) AS newest_last_updated_on`,
    `${countThing('file')} AS file_count`,
  ]
  return [
    `SELECT ${[group, 'amount', ...counts].join(', ')}`,
    `FROM (${distinct}) AS distinct_things`,
    `GROUP BY ${group}, amount`,
  ].join('\n')
}

/** Adds to each amount the numbers of values up to it, and of its group. */
const selectRunning = (group: string, amounts: string): string =>
  [
    'SELECT *,',
    `  sum(value_count) OVER (PARTITION BY ${group} ORDER BY amount ROWS UNBOUNDED PRECEDING) AS running_count,`,
    `  sum(value_count) OVER (PARTITION BY ${group}) AS total_count`,
    `FROM (${amounts}) AS amounts_of_groups`,
  ].join('\n')

const summedCounts = [
  ...['value_count', 'price_count', 'ein_count', 'npi_tin_count', 'provider_count', 'left_out_count', 'file_count'],
  ...flagNames.map(flagColumn),
]

function selectGroups(group: string, running: string): string {
  const counted = 'value_count > 0'
  const items = [
    ...summedCounts.map((name) => `sum(${name}) AS ${name}`),
    `min(CASE WHEN ${counted} THEN amount END) AS minimum`,
    ...percentiles.map(
      ({ column, percent }) =>
        `min(CASE WHEN ${counted} AND running_count * 100 >= total_count * ${percent} THEN amount END) AS ${column}`,
    ),
    `max(CASE WHEN ${counted} THEN amount END) AS maximum`,
    'min(oldest_last_updated_on) AS oldest_last_updated_on',
    'max(newest_last_updated_on) AS newest_last_updated_on',
  ]
  return [`SELECT ${[group, ...items].join(', ')}`, `FROM (${running}) AS running_amounts`, `GROUP BY ${group}`].join(
    '\n',
  )
}

/** The SQL of a column of the result over the groups. */
function itemOf(name: string, summary: SummaryRequest, has: SummaryInputs['has']): string {
  const dimension = columnsByDimension.find(({ columns }) => columns.some((column) => column.name === name))
  if (dimension !== undefined) return summary.by.includes(dimension.dimension) ? name : 'NULL'
  if (name === 'weight') return literal(summary.weight)
  const percentile = percentiles.find(({ column }) => column === name)
  if (percentile !== undefined) return `CASE WHEN value_count >= ${percentile.leastValues} THEN ${name} END`
  const counted = thingsOf(summary)
  if (name === 'price_count') return has('price_id') ? name : 'NULL'
  if (name === 'file_count') return has('source_file') ? name : 'NULL'
  if (name === 'ein_count' || name === 'npi_tin_count') return counted.includes('tin') ? name : 'NULL'
  if (name === 'provider_count') return counted.includes('npi') ? name : 'NULL'
  if (name === 'left_out_count' || flagNames.some((flag) => flagColumn(flag) === name))
    return has('flags') ? name : 'NULL'
  return name
}
