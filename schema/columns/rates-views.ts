import { contentIdColumn, loadIdColumn, sourceIdColumn } from './column.ts'
import { rowFlags } from './flags.ts'
import { type Dialect, priceKey, withKeys } from './price-key.ts'
import { ratesRelation, relationColumns } from './rates.ts'
import {
  amountFlags,
  bucketColumn,
  contentBucketColumn,
  currentTable,
  pathColumn,
  priceIdPrefix,
  priceOrdinal,
  providerGroupKey,
  providerGroupKeys,
  sourceBucketColumn,
  versionColumn,
  type WarehouseTable,
  warehouseTables,
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

const resultColumns = relationColumns.map(({ home, name }) => `  ${computed[name] ?? `${home}.${name}`} AS ${name}`)

/** An element of `provider_group_keys`. */
const groupOfPrice = 'group_of_price'

/** The tables of prices, groups and sources, each with what `price_key` needs of it; and the join that unnests, if any. */
function tablesIn(dialect: Dialect) {
  const [rows = '', groups = '', sources = ''] = warehouseTables.map(({ name, columns }) =>
    withKeys(name, [...columns.map((column) => column.name), bucketColumn.name, `"${pathColumn}"`], dialect),
  )
  if (dialect.unnests === 'by a join') {
    const named = `CROSS JOIN UNNEST(negotiated_rates.${providerGroupKeys.name}) AS named (${groupOfPrice})`
    return { prices: rows, groups, sources, joins: [named] }
  }
  // In a SELECT of its own, so that what is hashed of a price is hashed once.
  const unnested = `(SELECT *, unnest(${providerGroupKeys.name}) AS ${groupOfPrice} FROM ${rows}) AS negotiated_rates`
  return { prices: unnested, groups, sources, joins: [] }
}

/** A list of flags with another one where the condition holds. */
export function addFlag(flags: string, flag: string, condition: string): string {
  const added = `ARRAY['${flag}']`
  return `CASE WHEN ${condition} THEN array_sort(COALESCE(${flags} || ${added}, ${added})) ELSE ${flags} END`
}

const samePrice = 'PARTITION BY payer, plan, price_key, npi, negotiated_rate'

/**
 * The flags of a row of the view, with whether other files of the fee schedule have the price. Exact for any search: filters
 * keep all rows of a partition, or none.
 */
export const flagsWithRepeated: string = addFlag(
  'flags',
  'repeated',
  `min(${sourceIdColumn}) OVER (${samePrice}) <> max(${sourceIdColumn}) OVER (${samePrice})`,
)

/** The SELECT of the view `rates` over the three tables. */
export function ratesViewSelect(dialect: Dialect): string {
  const { prices, groups, sources, joins } = tablesIn(dialect)
  const ids = Object.entries(idsOfView).map(([name, column]) => `  ${column} AS ${name}`)
  return [
    'SELECT',
    [...resultColumns, ...ids].join(',\n'),
    `FROM ${sources}`,
    `JOIN ${prices} ON negotiated_rates.${sourceIdColumn} = fee_schedule_sources.${sourceIdColumn}`,
    ...joins,
    `JOIN ${groups} ON ${isGroupOfPrice}`,
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
export function ratesCurrentSelect(dialect: Dialect): string {
  const { prices, groups, sources, joins } = tablesIn(dialect)
  const { name: version } = versionColumn
  return [
    'SELECT',
    resultColumns.join(',\n'),
    `FROM ${groups}`,
    `JOIN ${joins.length > 0 ? `(${[prices, ...joins].join(' ')})` : prices} ON ${isGroupOfPrice}`,
    `JOIN ${sources} ON ${isSourceOfPrice}`,
    `JOIN (SELECT *, max(${version}) OVER () AS newest FROM ${currentTable.name}) AS active`,
    `  ON active.${version} = active.newest AND ${isOfContent}`,
  ].join('\n')
}

/** The column of the view with the address of a row's file in a table. */
export const fileColumn = ({ name }: Pick<WarehouseTable, 'name'>): string => `${name}_path`

/** The columns of the view in addition to those of a result, with what they are. */
const idsOfView: Readonly<Record<string, string>> = {
  [contentIdColumn]: `fee_schedule_sources.${contentIdColumn}`,
  [loadIdColumn]: `fee_schedule_sources.${loadIdColumn}`,
  [sourceIdColumn]: `negotiated_rates.${sourceIdColumn}`,
  [contentBucketColumn]: `fee_schedule_sources.${bucketColumn.name}`,
  [sourceBucketColumn]: `negotiated_rates.${bucketColumn.name}`,
  ...Object.fromEntries(warehouseTables.map((table) => [fileColumn(table), `${table.name}."${pathColumn}"`])),
}

/** The address of a warehouse on this machine in statements, as a Trino with this file system sees it. */
export const localRatesLocation = 'local:///warehouse/'

/** The name of the view in searches, and of the one for people. */
export const ratesView = ratesRelation
export const ratesCurrentView = 'rates_current'

/** The columns of the view in addition to those of a result, by which searches skip files. All are text. */
export const viewIdColumns: readonly string[] = Object.keys(idsOfView)
