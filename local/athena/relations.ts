import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Column, ColumnType } from '../../schema/columns/column.ts'
import { contentIdColumn, nppesMonthIdColumn, sourceIdColumn } from '../../schema/columns/column.ts'
import { providersTable } from '../../schema/columns/providers-table.ts'
import { relationColumns } from '../../schema/columns/rates.ts'
import { localRatesLocation, ratesView, ratesViewSelect, viewIdColumns } from '../../schema/columns/rates-views.ts'
import { type SearchTable, searchIdColumn, searchTables } from '../../schema/columns/search-tables.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { bucketColumn, contentTable, pathColumn, warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import { quoteName, quoteText, readType, type TypeName, writeType } from './duckdb-sql.ts'
import { QueryFault } from './faults.ts'
import { findListedFiles, type ListedFolders } from './files/listed-files.ts'
import { listRelationFiles, listRelations, type PartitionValues, type RelationFiles } from './files/warehouse-files.ts'
import type { Scan } from './statement.ts'
import { rewriteUnnestJoins } from './unnest-joins.ts'

/** Column types of a relation, by lower-case name. */
export type RelationColumns = ReadonlyMap<string, TypeName>

/** A relation, restricted to the files that one query reads. */
export interface Relation {
  readonly columns: RelationColumns
  /** The common tables that define the relation, by name, over only the files that the query needs. */
  readonly definitions: ReadonlyMap<string, string>
  /** Total size of these files: an upper bound of what the query can read. */
  readonly bytes: number
}

/**
 * Opens a relation: a folder of the operator's own Parquet files, a table of the warehouse, a table of searches, or the
 * view `rates`. An operator's folder `rates/` takes precedence over the view. Tables without files are empty, with all
 * their columns, so searches work before the first load.
 *
 * @param partitions the partitions to read
 * @returns undefined if there is no such relation
 */
export async function openRelation(
  connection: DuckDBConnection,
  folders: ListedFolders,
  name: string,
  partitions: PartitionValues,
): Promise<Relation | undefined> {
  const { warehouseFolder } = folders
  const searchTable = searchTables.find((candidate) => candidate.name === name)
  if (searchTable !== undefined) return openSearchTable(folders, searchTable, partitions)
  const table = [...warehouseTables, providersTable].find((candidate) => candidate.name === name)
  if (table !== undefined)
    return openTables({ warehouseFolder, tables: [table], columns: columnsOf(table), partitions, views: new Map() })
  const operatorRelation = await openOperatorFolder(connection, warehouseFolder, name, partitions)
  if (operatorRelation !== undefined || name !== ratesView) return operatorRelation
  const views = new Map([[ratesView, await rewriteUnnestJoins(connection, ratesViewSelect())]])
  return openTables({ warehouseFolder, tables: warehouseTables, columns: viewColumns, partitions, views })
}

async function openSearchTable(
  folders: ListedFolders,
  searchTable: SearchTable,
  partitions: PartitionValues,
): Promise<Relation> {
  const { name, table } = searchTable
  const files = await findListedFiles(folders, searchTable, partitions)
  const select = `SELECT *, ${quoteText(files.searchId)} AS ${quoteName(searchIdColumn.name)} FROM (${tableSelect(table, files, folders.warehouseFolder)})`
  const columns = new Map([...columnsOf(table), [searchIdColumn.name, 'varchar'] as const])
  return { columns, definitions: new Map([[name, select]]), bytes: files.bytes }
}

interface OpenTables {
  readonly warehouseFolder: string
  readonly tables: readonly WarehouseTable[]
  readonly columns: RelationColumns
  readonly partitions: PartitionValues
  /** The SELECTs of further common tables by name, which read those of the tables. */
  readonly views: ReadonlyMap<string, string>
}

async function openTables({ warehouseFolder, tables, columns, partitions, views }: OpenTables): Promise<Relation> {
  const opened = await Promise.all(
    tables.map(async (table) => {
      const files = await listRelationFiles(join(warehouseFolder, table.name), partitions, partitions.get(idOf(table)))
      return { bytes: files.bytes, definition: [table.name, tableSelect(table, files, warehouseFolder)] as const }
    }),
  )
  return {
    columns,
    definitions: new Map([...opened.map(({ definition }) => definition), ...views]),
    bytes: opened.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** Writes the WITH clause of a query that reads relations. */
export function writeWithClause(relations: readonly Relation[]): string {
  const definitions = new Map(relations.flatMap((relation) => [...relation.definitions]))
  return `WITH ${[...definitions].map(([name, select]) => commonTable(name, select)).join(',\n')}`
}

/** The column of a table with the source, content or month by which its files are named. */
function idOf(table: WarehouseTable): string {
  if (table === providersTable) return nppesMonthIdColumn
  return table === contentTable ? contentIdColumn : sourceIdColumn
}

async function openOperatorFolder(
  connection: DuckDBConnection,
  warehouseFolder: string,
  name: string,
  partitions: PartitionValues,
): Promise<Relation | undefined> {
  const folder = (await listRelations(warehouseFolder)).find((candidate) => candidate.toLowerCase() === name)
  if (folder === undefined) return undefined
  const everyFile = await listRelationFiles(join(warehouseFolder, folder), new Map())
  if (everyFile.paths.length === 0) return undefined
  const files = await listRelationFiles(join(warehouseFolder, folder), partitions)
  // If no partition matches, the columns are still read from the files that exist.
  const select = files.paths.length > 0 ? scan(files) : `${scan(everyFile)} WHERE false`
  const columns = await describe(connection, select)
  return { columns, definitions: new Map([[name, select]]), bytes: files.bytes }
}

/** Reads the files' columns by name, as Athena does: files of one relation may lack columns that others have. */
const scan = (files: RelationFiles) => `SELECT * EXCLUDE (filename) FROM ${readParquet(files)}`

async function describe(connection: DuckDBConnection, select: string): Promise<RelationColumns> {
  const description = await connection.runAndReadAll(`DESCRIBE ${select}`)
  return new Map(description.getRows().map(([name, type]) => [String(name).toLowerCase(), readType(String(type))]))
}

/** Selects a table's columns from its files. A column that older files lack is NULL, as in Athena. */
function tableSelect(table: WarehouseTable, files: RelationFiles, root: string): string {
  const columns = [...columnsOf(table)]
  const nulls = columns.map(([name, type]) => `CAST(NULL AS ${writeType(type)}) AS ${quoteName(name)}`)
  const empty = `SELECT ${nulls.join(', ')} WHERE false`
  if (files.paths.length === 0) return empty
  const names = columns.map(([name]) => quoteName(name)).join(', ')
  // On Windows DuckDB's paths have backslashes.
  const pathBelow = `replace(substr(filename, ${[...root].length + 2}), '\\', '/')`
  const path = `${quoteText(localRatesLocation)} || ${pathBelow} AS ${quoteName(pathColumn)}`
  const rows = `SELECT * EXCLUDE (filename), ${path} FROM ${readParquet(files)}`
  return `SELECT ${names} FROM (${empty} UNION ALL BY NAME ${rows})`
}

/** Reads files with the values of their paths as text: a source called `007` is not the number 7. */
function readParquet({ paths }: RelationFiles): string {
  const list = paths.map((path) => quoteText(path.replace(/[*?[]/g, '[$&]'))).join(', ')
  return `read_parquet([${list}], union_by_name = true, filename = true, hive_partitioning = true, hive_types_autocast = false)`
}

const commonTable = (name: string, select: string) => `${quoteName(name)} AS NOT MATERIALIZED (${select})`

function columnsOf({ columns }: WarehouseTable): RelationColumns {
  return typesOf([...columns, bucketColumn, { name: pathColumn, type: 'varchar' }])
}

const typesOf = (columns: readonly Pick<Column, 'name' | 'type'>[]): RelationColumns =>
  new Map(columns.map(({ name, type }) => [name, typeName(type)]))

const viewColumns = typesOf([...relationColumns, ...viewIdColumns.map((name) => ({ name, type: 'varchar' as const }))])

function typeName(type: ColumnType): TypeName {
  return type === 'varchar ARRAY' ? 'array(varchar)' : type
}

/**
 * Refuses to compare text with another type, as Trino does. DuckDB would convert, and a relation of an operator whose
 * NPIs are text would be searched here, but not on AWS.
 *
 * @throws QueryFault TYPE_MISMATCH
 */
export function checkTypes({ comparisons }: Scan, columns: RelationColumns): void {
  for (const { column, literals } of comparisons) {
    const type = columns.get(column)
    const mismatch = literals.find(
      (literal) => type !== undefined && !literal.is_null && (type === 'varchar') !== (literal.type.id === 'VARCHAR'),
    )
    if (mismatch !== undefined)
      throw new QueryFault('TYPE_MISMATCH', `Cannot compare ${column} (${type}) with ${mismatch.type.id.toLowerCase()}`)
  }
}
