import type { SummaryRequest } from '../../../contract/summaries.ts'
import { flagNames } from '../../../schema/columns/flags.ts'
import type { ColumnName } from '../../../schema/columns/rates.ts'
import { maxListed, maxListedPairs } from '../../../schema/summary/definition.ts'
import { percentiles } from '../../../schema/summary/percentiles.ts'
import { columnsByDimension, flagColumn, summaryColumns } from '../../../schema/summary/summary-columns.ts'
import { literal } from '../sql.ts'
import { countedThings, dimensionsOf, isEin, type Thing, thingOfWeight, thingsOf } from './summary-inputs.ts'
import { bitOf, doubtfulMark, listElements } from './summary-terms.ts'

/**
 * The SQL of a summary, around the SELECT of the rows that it is about (docs/adr/0050, docs/adr/0071).
 *
 * Each step has fewer rows than the one before: rows of prices; the distinct values, prices, TINs and files of prices
 * with the same list of places; those at each place; the distinct amounts of each group with their numbers of values;
 * the groups. A percentile is the least amount whose cumulative number of values reaches its share: `approx_percentile`
 * is not exact, and Trino has no other.
 */

/** The rows that a summary is about. */
export interface SummaryRows {
  /** The SELECT of the rows with their items. */
  readonly select: string
  /** The columns by which they are grouped, besides their places and dimensions. */
  readonly groups: readonly string[]
  /** The column of an element of the list `places`. */
  readonly place: string
  /** Joins that give the groups their names. */
  readonly names: readonly string[]
  readonly has: (name: ColumnName) => boolean
}

/**
 * Writes the SELECT of a summary.
 *
 * @param further items of the outermost SELECT after the columns
 */
export function summarizeRows(summary: SummaryRequest, rows: SummaryRows, further: readonly string[]): string {
  const { groups, place, names, has } = rows
  const dimensions = dimensionsOf(summary).map(({ name }) => name)
  const items = summaryColumns.map(({ name, type }) => `  CAST(${itemOf(name, summary, has)} AS ${type}) AS ${name}`)
  const things = selectThings(summary, [...groups, ...dimensions, 'places'], selectNetworks(summary, rows.select))
  const group = [...groups, ...dimensions, place].join(', ')
  const amounts = selectAmounts(summary, group, selectAtPlaces(summary, group, place, things))
  return [
    'SELECT',
    [...items, ...further].join(',\n'),
    `FROM (${selectGroups(group, selectRunning(group, amounts))}) AS groups_of_prices`,
    ...names,
  ].join('\n')
}

/** A price in each of its networks. */
function selectNetworks({ by }: SummaryRequest, rows: string): string {
  const networks = [
    `SELECT *, ${listElements('networks', areManyNetworks)} AS listed_networks FROM (${rows}) AS all_rows`,
    'WHERE amount IS NOT NULL',
  ].join('\n')
  if (!by.includes('network')) return `SELECT * FROM (${rows}) AS all_rows WHERE amount IS NOT NULL`
  return `SELECT * FROM (${networks}) AS rows_in_networks\n${unnest('rows_in_networks', 'listed_networks', 'network')}`
}

const areManyNetworks = [
  `cardinality(networks) > ${maxListed}`,
  `place_count * cardinality(networks) > ${maxListedPairs}`,
].join(' OR ')

/** A row for each element of a list. */
const unnest = (table: string, list: string, element: string) =>
  `CROSS JOIN UNNEST(${table}.${list}) AS of_${list} (${element})`

/** The columns with the identities of everything that a summary counts. */
const thingColumns = (summary: SummaryRequest) => thingsOf(summary).flatMap((thing) => countedThings[thing])

/**
 * The distinct values of prices with the same terms and list of places, and beside them the distinct things of each
 * kind that are counted. One reading gives all: a row has the kind of the set that it belongs to.
 */
function selectThings(summary: SummaryRequest, group: readonly string[], rows: string): string {
  const columns = ['amount', ...thingColumns(summary)]
  const apart = thingsOf(summary).filter(isApart(summary))
  const sets = [valueColumns(summary), ...apart.map((thing) => countedThings[thing])]
  const kind = `grouping(${kindColumns(summary).join(', ')}) AS kind`
  return [
    `SELECT ${[...group, ...columns, kind, ...facts('updated_on', 'updated_on')].join(', ')}`,
    `FROM (${rows}) AS rows_of_prices`,
    `GROUP BY GROUPING SETS (${sets.map((set) => `(${[...group, ...set].join(', ')})`).join(', ')})`,
  ].join('\n')
}

/** The facts that all prices of a thing have in common. */
const facts = (oldest: string, newest: string) => [
  'bitwise_and_agg(flag_bits) AS flag_bits',
  `min(${oldest}) AS oldest`,
  `max(${newest}) AS newest`,
]

/**
 * The distinct values and things at each place: different lists of places share some of them. A row has one thing, so
 * things of all kinds have the same two columns here.
 */
function selectAtPlaces(summary: SummaryRequest, group: string, place: string, things: string): string {
  const columns = [group, 'kind', 'amount', 'thing', 'thing_scope'].join(', ')
  const kinds = thingsOf(summary)
  const ofOneThing = [
    `SELECT *, ${coalesce(kinds.map((thing) => countedThings[thing][0]))} AS thing,`,
    `  ${coalesce(kinds.flatMap((thing) => countedThings[thing].slice(1)))} AS thing_scope`,
    `FROM (${things}) AS all_things`,
  ].join('\n')
  return [
    `SELECT ${[columns, ...facts('oldest', 'newest')].join(', ')}`,
    `FROM (${ofOneThing}) AS distinct_things`,
    unnest('distinct_things', 'places', place),
    `GROUP BY ${columns}`,
  ].join('\n')
}

/** The first column that is not NULL, as text. */
const coalesce = (columns: readonly string[]) =>
  `COALESCE(${columns.map((name) => `CAST(${name} AS varchar)`).join(', ')}, CAST(NULL AS varchar))`

/** True for things with a set of their own. A price has one amount, so the values of the weight `prices` are prices. */
const isApart =
  ({ weight }: SummaryRequest) =>
  (thing: Thing): boolean =>
    thing !== 'price' || weight !== 'prices'

/** The columns that identify a value of the weight. */
const valueColumns = ({ weight }: SummaryRequest) => ['amount', ...countedThings[thingOfWeight[weight]]]

/** The columns by which the sets are told apart. */
const kindColumns = (summary: SummaryRequest) => [
  'amount',
  ...thingsOf(summary).map((thing) => countedThings[thing][0]),
]

/** The number by which `grouping` marks a set: a bit for each column that is not in it, the first column highest. */
const kindOf = (summary: SummaryRequest, set: readonly string[]): number =>
  kindColumns(summary).reduce((bits, column) => bits * 2 + (set.includes(column) ? 0 : 1), 0)

/** The distinct amounts of each group with their numbers of values. Other things have no amount. */
function selectAmounts(summary: SummaryRequest, group: string, distinct: string): string {
  const isCounted = summary.includeDoubtful ? [] : [lacks(doubtfulMark)]
  const count = (conditions: readonly string[]) => `count(CASE WHEN ${conditions.join(' AND ')} THEN 1 END)`
  const isValue = [`kind = ${kindOf(summary, valueColumns(summary))}`, 'thing IS NOT NULL']
  const kinds = thingsOf(summary)
  const countThing = (thing: Thing, ...conditions: readonly string[]) => {
    if (!kinds.includes(thing)) return '0'
    if (!isApart(summary)(thing)) return count([...isValue, ...conditions])
    return count([`kind = ${kindOf(summary, countedThings[thing])}`, 'thing IS NOT NULL', ...conditions])
  }
  const isFile = `kind = ${kindOf(summary, countedThings.file)}`
  const counts = [
    `${count([...isValue, ...isCounted])} AS value_count`,
    `${countThing('price', ...isCounted)} AS price_count`,
    `${countThing('tin', isEin, ...isCounted)} AS ein_count`,
    `${countThing('tin', `NOT ${isEin}`, ...isCounted)} AS npi_tin_count`,
    `${countThing('npi', ...isCounted)} AS provider_count`,
    `${summary.includeDoubtful ? '0' : count([...isValue, `NOT ${lacks(doubtfulMark)}`])} AS left_out_count`,
    ...flagNames.map((flag) => `${count([...isValue, `NOT ${lacks(bitOf(flag))}`])} AS ${flagColumn(flag)}`),
    `min(CASE WHEN ${isFile} THEN oldest END) AS oldest_last_updated_on`,
    `max(CASE WHEN ${isFile} THEN newest END) AS newest_last_updated_on`,
    `${countThing('file')} AS file_count`,
  ]
  return [
    `SELECT ${[group, 'amount', ...counts].join(', ')}`,
    `FROM (${distinct}) AS ofOneThingat_places`,
    `GROUP BY ${group}, amount`,
  ].join('\n')
}

/** True if not all prices of a thing have the bit of a flag. */
const lacks = (bit: number) => `bitwise_and(flag_bits, ${bit}) = 0`

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
function itemOf(name: string, summary: SummaryRequest, has: SummaryRows['has']): string {
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
