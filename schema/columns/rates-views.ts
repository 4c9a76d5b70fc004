import { type Column, contentIdColumn, loadIdColumn, sourceIdColumn } from './column.ts'
import { rowFlags } from './flags.ts'
import { priceKey, withKeys } from './price-key.ts'
import { ratesRelation, relationColumns } from './rates.ts'
import {
  amountFlags,
  bucketColumn,
  contentBucketColumn,
  contentTable,
  currentTable,
  groupTable,
  priceIdPrefix,
  priceOrdinal,
  priceTable,
  providerGroupKey,
  providerGroupKeys,
  sourceBucketColumn,
  versionColumn,
} from './warehouse-tables.ts'

/** Files of another program may have the whole id of a price; the loader leaves it NULL. */
const priceId = `COALESCE(${[
  'negotiated_rates.price_id',
  `fee_schedule_sources.${priceIdPrefix.name} || '-' || CAST(negotiated_rates.${priceOrdinal.name} AS varchar)`,
].join(', ')})`

/** Adds the flags that the view decides for each row to those of amounts, which files of another program may lack. */
const flags = Object.entries(rowFlags).reduce(
  (list, [flag, { inView }]) => (inView === undefined ? list : addFlag(list, flag, inView)),
  `negotiated_rates.${amountFlags.name}`,
)

const computed: Readonly<Record<string, string>> = { price_id: priceId, price_key: priceKey, flags }

/** Returns the SQL of a result's column over the joined tables, which have their own names as aliases. */
export const columnValue = ({ home, name }: Pick<Column, 'home' | 'name'>): string =>
  computed[name] ?? `${home}.${name}`

const resultColumns = relationColumns.map((column) => `  ${columnValue(column)} AS ${column.name}`)

/** An element of `provider_group_keys`. */
export const groupOfPrice = 'group_of_price'

/** The join that gives a price a row for each of its provider groups. */
export const unnestGroups = `CROSS JOIN UNNEST(negotiated_rates.${providerGroupKeys.name}) AS groups_of_price (${groupOfPrice})`

/** Returns a table with its hashes for `price_key`. */
const hashTable = ({ name, columns }: typeof priceTable) =>
  withKeys(name, [...columns.map((column) => column.name), bucketColumn.name])

const prices = hashTable(priceTable)
const groups = hashTable(groupTable)
const sources = hashTable(contentTable)

/** Returns a list of flags with another one where the condition holds. */
function addFlag(flags: string, flag: string, condition: string): string {
  const added = `ARRAY['${flag}']`
  return `CASE WHEN ${condition} THEN array_sort(COALESCE(${flags} || ${added}, ${added})) ELSE ${flags} END`
}

/**
 * The SELECT of the view `rates` over the three tables, the largest first: Athena builds the right side of a join in
 * memory. Searches do not read the view, because the best order depends on what they ask for (docs/adr/0041).
 */
export function ratesViewSelect(): string {
  const ids = Object.entries(idsOfView).map(([name, column]) => `  ${column} AS ${name}`)
  return [
    'SELECT',
    [...resultColumns, ...ids].join(',\n'),
    `FROM ${prices}`,
    unnestGroups,
    `JOIN ${groups} ON ${isGroupOfPrice}`,
    `JOIN ${sources} ON ${equal('fee_schedule_sources', 'negotiated_rates', { [sourceIdColumn]: sourceIdColumn })}`,
  ].join('\n')
}

/** @param columns by the column of `one`, that of `other` */
const equal = (one: string, other: string, columns: Readonly<Record<string, string>>) =>
  Object.entries(columns)
    .map(([column, of]) => `${one}.${column} = ${other}.${of}`)
    .join('\n  AND ')

const isGroupOfPrice = [
  equal('provider_groups', 'negotiated_rates', {
    [bucketColumn.name]: bucketColumn.name,
    [sourceIdColumn]: sourceIdColumn,
  }),
  `provider_groups.${providerGroupKey.name} = ${groupOfPrice}`,
].join('\n  AND ')

const isSourceOfPrice = equal('fee_schedule_sources', 'negotiated_rates', {
  [sourceBucketColumn]: bucketColumn.name,
  [sourceIdColumn]: sourceIdColumn,
})

const isOfContent = equal('fee_schedule_sources', 'active', {
  [bucketColumn.name]: contentBucketColumn,
  [contentIdColumn]: contentIdColumn,
  payer: 'payer',
  plan: 'plan',
})

/**
 * The SELECT of the view `rates_current`. Trino reads the joined tables from the last to the first, and by then knows
 * the buckets, so the order is what lets it skip files (docs/adr/0032).
 */
export function ratesCurrentSelect(): string {
  const { name: version } = versionColumn
  return [
    'SELECT',
    resultColumns.join(',\n'),
    `FROM ${prices}`,
    unnestGroups,
    `JOIN ${groups} ON ${isGroupOfPrice}`,
    `JOIN ${sources} ON ${isSourceOfPrice}`,
    `JOIN (SELECT *, max(${version}) OVER () AS newest FROM ${currentTable.name}) AS active`,
    `  ON active.${version} = active.newest AND ${isOfContent}`,
  ].join('\n')
}

/** The columns of the view in addition to those of a result. */
const idsOfView: Readonly<Record<string, string>> = {
  [contentIdColumn]: `fee_schedule_sources.${contentIdColumn}`,
  [loadIdColumn]: `fee_schedule_sources.${loadIdColumn}`,
  [sourceIdColumn]: `negotiated_rates.${sourceIdColumn}`,
}

/** The address of a warehouse on this machine in statements, as a Trino with this file system sees it. */
export const localRatesLocation = 'local:///warehouse/'

/** The names of the views, which are for people; an operator's own relation has the name of the first. */
export const ratesView = ratesRelation
export const ratesCurrentView = 'rates_current'

/** The columns of the view in addition to those of a result, by which people can tell loads apart. All are text. */
export const viewIdColumns: readonly string[] = Object.keys(idsOfView)
