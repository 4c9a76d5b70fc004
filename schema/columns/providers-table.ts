import { type Column, nppesMonthIdColumn } from './column.ts'
import { ratesColumns } from './rates.ts'
import { deployedTables, type WarehouseTable, type WarehouseUnit } from './warehouse-tables.ts'

/** The columns of a result that come from NPPES. */
export const providerColumns: readonly Column[] = ratesColumns.filter(({ home }) => home === 'providers')

const ownColumn = (name: string, type: Column['type'], meaning: string): Column => {
  return { name, type, nullable: false, required: false, home: 'providers', meaning, sourceField: 'NPPES' }
}

const npiColumn = ownColumn('npi', 'bigint', 'ten digits')

function findProviderColumn(name: string): Column {
  const column = providerColumns.find((candidate) => candidate.name === name)
  if (column === undefined) throw new TypeError(`no column of a result is ${name}`)
  return column
}

/**
 * Who providers are: a file for each month of NPPES that is kept. They are at most a few, so one folder has all, and a
 * search tells them apart by a column: of the others it reads a footer (docs/adr/0034).
 */
export const providersTable: WarehouseTable = {
  name: 'providers',
  grain: 'one NPI of a monthly file of NPPES',
  columns: [npiColumn, ...providerColumns, ownColumn(nppesMonthIdColumn, 'varchar', 'one monthly file of NPPES')],
  buckets: 1,
  sortedBy: ['npi'],
}

/**
 * The same providers by place, without those that have none: a file for each month of NPPES that is kept. Only the call
 * `list-providers` reads it, by ranges, so Glue does not know it (docs/adr/0061). Columns that are read together are
 * neighbours.
 */
export const directoryTable: WarehouseTable = {
  name: 'provider_directory',
  grain: 'one NPI of a monthly file of NPPES that has a state or a ZIP code',
  columns: [
    ...['provider_state', 'provider_zip', 'provider_taxonomy', 'provider_name'].map(findProviderColumn),
    npiColumn,
    findProviderColumn('provider_city'),
  ],
  buckets: 1,
  sortedBy: ['provider_state', 'provider_zip', 'provider_name', 'npi'],
}

/** The bucket in which the local S3 shows the warehouse's folder: its files are read by ranges as on AWS. */
export const localWarehouseBucket = 'rate-search-warehouse'

/** The tables of a month of NPPES. */
export const nppesTables: readonly WarehouseTable[] = [providersTable, directoryTable]

/** The files of a month of NPPES. */
export const nppesMonthUnit = (id: string): WarehouseUnit => ({ tables: nppesTables, id })

export const allTables: readonly WarehouseTable[] = [...deployedTables, providersTable]
