import type { Column } from './column.ts'
import { type WarehouseTable, warehouseTables } from './warehouse-tables.ts'

/**
 * Tables for searches over the same files as the warehouse's: a search writes a list of its files for each of them, and
 * its query opens only the files of that list (docs/adr/0043). People read the tables of the same names without prefix.
 */

/** The partition column of the tables. It has no values of its own: a query must name one. */
export const searchIdColumn: Pick<Column, 'name' | 'meaning'> = {
  name: 'search_id',
  meaning: 'the search whose list of files is read; a query must compare it with one literal',
}

export interface SearchTable {
  readonly name: string
  /** The table with the same files and columns. */
  readonly table: WarehouseTable
}

export const searchTableName = ({ name }: Pick<WarehouseTable, 'name'>): string => `search_${name}`

export const searchTables: readonly SearchTable[] = warehouseTables.map((table) => ({
  name: searchTableName(table),
  table,
}))

/** The key of a search's list of files for a table, below the place of all lists. */
export const fileListKey = (table: Pick<WarehouseTable, 'name'>, searchId: string): string =>
  `${searchTableName(table)}/${searchIdColumn.name}=${searchId}/files.txt`

/** Returns the place of all lists. @param queryResults result location of the workgroup, `s3://bucket/prefix/` */
export const fileListsBelow = (queryResults: string): string => `${queryResults}file-lists/`

/** Writes the addresses of files as `SymlinkTextInputFormat` reads them. A file that is named twice is read twice. */
export const writeFileList = (addresses: readonly string[]): string => addresses.map((file) => `${file}\n`).join('')

/** Returns the addresses in a list. */
export const readFileList = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')
