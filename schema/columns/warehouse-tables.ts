import type { Column, ColumnHome } from './column.ts'
import { contentIdColumn, loadIdColumn, sourceIdColumn } from './column.ts'
import { ratesColumns, ratesRelation } from './rates.ts'

/**
 * What lies under `rates`: two tables at the grain that payers publish, partitioned by load and source (one loaded
 * file), and one that says which fee schedules read which sources, partitioned by content. One file serves many plans and
 * names groups of thousands of NPIs, so spelling every rate row out would store the same prices again and again. No name
 * of a payer or plan is ever part of a path.
 */

/** Joins a price to its provider group within one source: the reference's own characters, never compared as a number. */
export const providerGroupKey: Column = {
  name: 'provider_group_key',
  type: 'varchar',
  nullable: false,
  required: false,
  home: 'negotiated_rates',
  meaning: 'the provider group within its source',
  sourceField: 'provider_references[].provider_group_id',
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

/** Where a source's rows are. */
export interface SourceRef {
  readonly loadId: string
  readonly sourceId: string
}

/** Where a fee schedule's source is: columns of `fee_schedule_sources`, partitions of the other two tables. */
export const sourceColumns: readonly Column[] = [
  idColumn(loadIdColumn, 'the load that wrote the source'),
  idColumn(sourceIdColumn, 'one loaded file'),
]

export interface WarehouseTable {
  readonly name: ColumnHome
  /** What one row is. */
  readonly grain: string
  /** The columns in the files; the partition's are in the path (`<table>/<column>=<id>/…/<file>.parquet`). */
  readonly columns: readonly Column[]
  readonly partitionedBy: readonly Column[]
  /** The order of the rows in each file, so that row groups can be skipped by their statistics. */
  readonly sortedBy: readonly string[]
}

const storedIn = (home: ColumnHome) => ratesColumns.filter((column) => column.home === home)

/** The tables that a source writes. */
export const sourceTables: readonly WarehouseTable[] = [
  {
    name: 'negotiated_rates',
    grain: 'one published price and one provider reference that it is agreed with',
    columns: [providerGroupKey, ...storedIn('negotiated_rates')],
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

/** The table that a content writes. */
export const contentTable: WarehouseTable = {
  name: 'fee_schedule_sources',
  grain: 'one fee schedule and one of its sources',
  columns: [...storedIn('fee_schedule_sources'), ...sourceColumns],
  partitionedBy: [idColumn(contentIdColumn, 'one set of sources and the fee schedules that read it')],
  sortedBy: ['payer', 'plan'],
}

export const warehouseTables: readonly WarehouseTable[] = [...sourceTables, contentTable]

/** One partition of every table in `tables`: a source's or a content's. */
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

/** Where a table's rows of one partition are, below the warehouse's root. Ends in `/`. */
export function partitionPath({ name, partitionedBy }: WarehouseTable, values: readonly string[]): string {
  return `${name}/${partitionedBy.map((column, place) => `${column.name}=${values[place]}/`).join('')}`
}

/** The SELECT of the view `rates` over the three tables, in the SQL that Trino and DuckDB share. */
export function ratesViewSelect(): string {
  const columns = ratesColumns.map(({ home, name }) => `  ${home}.${name} AS ${name}`)
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

/** The view's name, as searches say it. */
export const ratesView = ratesRelation

/** The columns of the view beside those of a result. */
export const viewIdColumns: readonly string[] = [contentIdColumn, loadIdColumn, sourceIdColumn]
