import { type Column, type ColumnHome, contentIdColumn, loadIdColumn, sourceIdColumn } from './column.ts'
import { ratesColumns, ratesRelation } from './rates.ts'

/**
 * The tables below the view `rates`. Two hold what payers publish, partitioned by load and source (one loaded file);
 * the third maps fee schedules to sources, partitioned by content. One file serves many plans and refers to groups of
 * thousands of NPIs, so storing every row of `rates` would repeat the same prices. No path contains the name of a payer
 * or plan.
 */

/** Joins prices to provider groups within one source. Compared as published text, never as a number. */
export const providerGroupKey: Column = {
  name: 'provider_group_key',
  type: 'varchar',
  nullable: false,
  required: false,
  home: 'negotiated_rates',
  meaning: 'the provider group within its source',
  sourceField: 'provider_references[].provider_group_id',
}

/** With `priceIdPrefix` of its source, the column `price_id`. A number is stored because ids are known at a file's end. */
export const priceOrdinal: Column = {
  name: 'price_ordinal',
  type: 'bigint',
  nullable: false,
  required: false,
  home: 'negotiated_rates',
  meaning: 'place of the price among the published prices of its file, from 1',
  sourceField: 'computed',
}

const idColumn = (name: string, meaning: string): Column => ({
  name,
  type: 'varchar',
  nullable: false,
  required: false,
  home: 'fee_schedule_sources',
  meaning,
  sourceField: 'computed',
})

/** What the ids of a source's prices begin with. */
export const priceIdPrefix: Column = idColumn(
  'price_id_prefix',
  'start of the SHA-256 of the JSON text of the file, in hex',
)

/** @param contentHash SHA-256 of the source's JSON text, in hex */
export const priceIdPrefixOf = (contentHash: string): string => contentHash.slice(0, 16)

/** The partition of a source's rows. */
export interface SourceRef {
  readonly loadId: string
  readonly sourceId: string
}

/** The partition of a fee schedule's source: columns of `fee_schedule_sources`, partitions of the other two tables. */
export const sourceColumns: readonly Column[] = [
  idColumn(loadIdColumn, 'the load that wrote the source'),
  idColumn(sourceIdColumn, 'one loaded file'),
]

export interface WarehouseTable {
  readonly name: ColumnHome
  /** The meaning of one row. */
  readonly grain: string
  /**
   * The columns in the files. New ones come last: Trino compares a partition's columns with its table's by position.
   * Partition columns are in the path (`<table>/<column>=<id>/…/<file>.parquet`).
   */
  readonly columns: readonly Column[]
  readonly partitionedBy: readonly Column[]
  /** The sort order of each file, so that row groups can be skipped by their statistics. */
  readonly sortedBy: readonly string[]
}

const storedIn = (home: ColumnHome) => ratesColumns.filter((column) => column.home === home)

/** The tables with the rows of a source. */
export const sourceTables: readonly WarehouseTable[] = [
  {
    name: 'negotiated_rates',
    grain: 'one published price and one provider reference that it is agreed with',
    columns: [providerGroupKey, ...storedIn('negotiated_rates'), priceOrdinal],
    partitionedBy: sourceColumns,
    sortedBy: ['billing_code', 'billing_code_type', providerGroupKey.name],
  },
  {
    name: 'provider_groups',
    grain: 'one NPI of one TIN of one provider reference',
    columns: [providerGroupKey, ...storedIn('provider_groups')],
    partitionedBy: sourceColumns,
    sortedBy: ['npi', providerGroupKey.name],
  },
]

/** The table with the rows of a content. */
export const contentTable: WarehouseTable = {
  name: 'fee_schedule_sources',
  grain: 'one fee schedule and one of its sources',
  columns: [...storedIn('fee_schedule_sources'), ...sourceColumns, priceIdPrefix],
  partitionedBy: [idColumn(contentIdColumn, 'one set of sources and the fee schedules that read it')],
  sortedBy: ['payer', 'plan'],
}

export const warehouseTables: readonly WarehouseTable[] = [...sourceTables, contentTable]

/** One partition of every table in `tables`: that of a source or a content. */
export interface WarehousePart {
  readonly tables: readonly WarehouseTable[]
  /** The values of the tables' partition columns, in order. */
  readonly values: readonly string[]
}

export const sourcePart = ({ loadId, sourceId }: SourceRef): WarehousePart => ({
  tables: sourceTables,
  values: [loadId, sourceId],
})

export const contentPart = (contentId: string): WarehousePart => ({ tables: [contentTable], values: [contentId] })

/** The path of a partition of a table, below the warehouse's root. Ends in `/`. */
export function partitionPath({ name, partitionedBy }: WarehouseTable, values: readonly string[]): string {
  return `${name}/${partitionedBy.map((column, place) => `${column.name}=${values[place]}/`).join('')}`
}

/** Sources of earlier versions have the whole id of a price; it is NULL in others. */
const priceId = `COALESCE(${[
  'negotiated_rates.price_id',
  `fee_schedule_sources.${priceIdPrefix.name} || '-' || CAST(negotiated_rates.${priceOrdinal.name} AS varchar)`,
].join(', ')})`

/** The SELECT of the view `rates` over the three tables, in the SQL that Trino and DuckDB share. */
export function ratesViewSelect(): string {
  const columns = ratesColumns.map(
    ({ home, name }) => `  ${name === 'price_id' ? priceId : `${home}.${name}`} AS ${name}`,
  )
  const ids = [
    `  fee_schedule_sources.${contentIdColumn} AS ${contentIdColumn}`,
    ...sourceColumns.map(({ name }) => `  negotiated_rates.${name} AS ${name}`),
  ]
  const ofSameSource = (table: string, other: string) =>
    sourceColumns.map(({ name }) => `${table}.${name} = ${other}.${name}`).join(' AND ')
  return [
    'SELECT',
    [...columns, ...ids].join(',\n'),
    'FROM fee_schedule_sources',
    `JOIN negotiated_rates ON ${ofSameSource('negotiated_rates', 'fee_schedule_sources')}`,
    `JOIN provider_groups ON ${ofSameSource('provider_groups', 'negotiated_rates')}`,
    `  AND provider_groups.${providerGroupKey.name} = negotiated_rates.${providerGroupKey.name}`,
  ].join('\n')
}

/** The name of the view in searches. */
export const ratesView = ratesRelation

/** The columns of the view in addition to those of a result. */
export const viewIdColumns: readonly string[] = [contentIdColumn, loadIdColumn, sourceIdColumn]
