import type { Column, ColumnHome } from './rates.ts'
import { ratesColumns, ratesRelation, sourceIdColumn } from './rates.ts'

/**
 * What lies under `rates`: three tables at the grain that payers publish, each partitioned by `source_id` (one loaded
 * file). One file serves many plans and names groups of thousands of NPIs, so spelling every rate row out would store
 * the same prices again and again. No name of a payer or plan is ever part of a path.
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

export interface WarehouseTable {
  readonly name: ColumnHome
  /** What one row is. */
  readonly grain: string
  /** The columns in the files; `source_id` is in the path (`<table>/source_id=<id>/<file>.parquet`). */
  readonly columns: readonly Column[]
  /** The order of the rows in each file, so that row groups can be skipped by their statistics. */
  readonly sortedBy: readonly string[]
}

const storedIn = (home: ColumnHome) => ratesColumns.filter((column) => column.home === home)

export const warehouseTables: readonly WarehouseTable[] = [
  {
    name: 'negotiated_rates',
    grain: 'one published price and one provider reference that it is agreed with',
    columns: [providerGroupKey, ...storedIn('negotiated_rates')],
    sortedBy: ['billing_code', 'billing_code_type', providerGroupKey.name],
  },
  {
    name: 'provider_groups',
    grain: 'one NPI of one TIN of one provider reference',
    columns: [providerGroupKey, ...storedIn('provider_groups')],
    sortedBy: ['npi', providerGroupKey.name],
  },
  {
    name: 'source_plans',
    grain: 'one plan that the file serves',
    columns: storedIn('source_plans'),
    sortedBy: ['payer', 'plan'],
  },
]

/** Where a table's rows of one source are, below the warehouse's root. Ends in `/`. */
export function partitionPath(table: ColumnHome, sourceId: string): string {
  return `${table}/${sourceIdColumn}=${sourceId}/`
}

/** The SELECT of the view `rates` over the three tables, in the SQL that Trino and DuckDB share. */
export function ratesViewSelect(): string {
  const columns = ratesColumns.map(({ home, name }) => `  ${home}.${name} AS ${name}`)
  return [
    'SELECT',
    [...columns, `  negotiated_rates.${sourceIdColumn} AS ${sourceIdColumn}`].join(',\n'),
    'FROM source_plans',
    `JOIN negotiated_rates ON negotiated_rates.${sourceIdColumn} = source_plans.${sourceIdColumn}`,
    `JOIN provider_groups ON provider_groups.${sourceIdColumn} = negotiated_rates.${sourceIdColumn}`,
    `  AND provider_groups.${providerGroupKey.name} = negotiated_rates.${providerGroupKey.name}`,
  ].join('\n')
}

/** The view's name, as searches say it. */
export const ratesView = ratesRelation
