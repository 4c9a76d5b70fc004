import { type Column, nppesMonthIdColumn } from './column.ts'
import { ratesColumns } from './rates.ts'
import { deployedTables, type WarehouseTable, type WarehouseUnit } from './warehouse-tables.ts'

/** The columns of a result that come from NPPES. */
export const providerColumns: readonly Column[] = ratesColumns.filter(({ home }) => home === 'providers')

const ownColumn = (name: string, type: Column['type'], meaning: string): Column => {
  return { name, type, nullable: false, required: false, home: 'providers', meaning, sourceField: 'NPPES' }
}

/**
 * Who providers are: a file for each month of NPPES that is kept. They are at most a few, so one folder has all, and a
 * search tells them apart by a column: of the others it reads a footer (docs/adr/0034).
 */
export const providersTable: WarehouseTable = {
  name: 'providers',
  grain: 'one NPI of a monthly file of NPPES',
  columns: [
    ownColumn('npi', 'bigint', 'ten digits'),
    ...providerColumns,
    ownColumn(nppesMonthIdColumn, 'varchar', 'one monthly file of NPPES'),
  ],
  buckets: 1,
  sortedBy: ['npi'],
}

/** The files of a month of NPPES. */
export const nppesMonthUnit = (id: string): WarehouseUnit => ({ tables: [providersTable], id })

export const allTables: readonly WarehouseTable[] = [...deployedTables, providersTable]
