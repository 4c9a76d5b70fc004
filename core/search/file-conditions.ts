import { contentIdColumn, sourceIdColumn } from '../../schema/columns/column.ts'
import { searchIdColumn, searchTableName } from '../../schema/columns/search-tables.ts'
import {
  bucketColumn,
  bucketOf,
  contentTable,
  contentUnit,
  fileName,
  folderPath,
  pathColumn,
  sourceTables,
  sourceUnit,
  type WarehouseTable,
  type WarehouseUnit,
} from '../../schema/columns/warehouse-tables.ts'
import type { ContentSource } from '../catalogue/content.ts'
import { distinct, isIn, literal } from './sql.ts'

/** Maximum number of sources that a statement names. */
const maxNamedSources = 10_000

/**
 * Maximum number of files of a table that a statement names. Of more, Trino keeps only the first and the last in order,
 * and opens all between them in the buckets (measured: docs/measured/).
 */
const maxNamedFiles = 500

/** The way in which a query finds the files with the rows of its contents. */
export type ScopeFiles = ListedFiles | FilesInFolders

/** The files are in lists that were written for the search (`listFiles`); the query reads the search tables. */
export interface ListedFiles {
  readonly searchId: string
}

/** The files are in the folders of the warehouse; the statement says what to skip there. */
export interface FilesInFolders {
  /** The address of the warehouse as Athena writes it, `s3://…/`. */
  readonly location: string
  /** All sources of the contents; none if there are too many to name. */
  readonly sources: readonly ContentSource[]
  /** Leaves out ids and the names of files, because the statement has no room. */
  readonly foldersOnly?: boolean
}

/** True if the query reads lists of files. */
export const areListed = (files: ScopeFiles): files is ListedFiles => 'searchId' in files

/** The files as shorter statements name them, which have the same rows; the shortest last. */
export function shortenScopes(files: ScopeFiles | undefined): readonly (ScopeFiles | undefined)[] {
  if (files === undefined || areListed(files)) return []
  return [{ ...files, foldersOnly: true }, undefined]
}

/** A table to select from, and the conditions by which other files are skipped. */
export interface PlacedTable {
  readonly name: string
  readonly conditions: readonly string[]
}

/** Places a table of `warehouseTables` in a statement. */
export function locateTable(
  table: WarehouseTable,
  files: ScopeFiles | undefined,
  contentIds: readonly string[],
): PlacedTable {
  const { name } = table
  if (files === undefined) return { name, conditions: [] }
  if (areListed(files))
    return { name: searchTableName(table), conditions: [`${searchIdColumn.name} = ${literal(files.searchId)}`] }
  const conditions = table === contentTable ? foldersOfContents(contentIds, files) : foldersOfSources(table, files)
  return { name, conditions }
}

/** Returns the address of each file of a table that holds rows of the contents, once. */
export function addressesIn(
  table: WarehouseTable,
  { location, sources }: FilesInFolders,
  contentIds: readonly string[],
): readonly string[] {
  if (table === contentTable)
    return distinct(contentIds).map((id) => location + folderPath(table, contentUnit(id)) + fileName(contentUnit(id)))
  return sources.flatMap((source) => addressesOf(location, table, sourceUnit(source), countFiles(table, source)))
}

/** True if a statement over these folders names each of their files, so that no other file is opened. */
export const areNamed = (files: FilesInFolders): boolean =>
  files.sources.length > 0 &&
  files.sources.length <= maxNamedSources &&
  sourceTables.every((table) => countAllFiles(table, files) <= maxNamedFiles)

/** Returns the condition that a row belongs to one of the contents. */
export const isOfContents = (contentIds: readonly string[]): string => isIn(contentIdColumn, contentIds.map(literal))

/** Returns the conditions that skip files of other sources. */
function foldersOfSources(table: WarehouseTable, files: FilesInFolders): readonly string[] {
  const { sources, foldersOnly = false } = files
  if (sources.length === 0) return []
  const ids = sources.map(({ sourceId }) => sourceId)
  return [
    isIn(bucketColumn.name, distinct(ids.map((id) => bucketOf(table, id))).map(literal)),
    ...(foldersOnly || ids.length > maxNamedSources ? [] : [isIn(sourceIdColumn, ids.map(literal))]),
    ...(foldersOnly || countAllFiles(table, files) > maxNamedFiles ? [] : [isInFile(addressesIn(table, files, []))]),
  ]
}

/** Returns the conditions that skip files of other contents. */
function foldersOfContents(contentIds: readonly string[], files: FilesInFolders): readonly string[] {
  const buckets = distinct(contentIds.map((id) => bucketOf(contentTable, id)))
  return [
    isIn(bucketColumn.name, buckets.map(literal)),
    ...(files.foldersOnly === true ? [] : [isInFile(addressesIn(contentTable, files, contentIds))]),
  ]
}

const isInFile = (addresses: readonly string[]) => isIn(`"${pathColumn}"`, addresses.map(literal))

const countFiles = (table: WarehouseTable, { files }: ContentSource) =>
  files?.[sourceTables.findIndex(({ name }) => name === table.name)] ?? 1

const countAllFiles = (table: WarehouseTable, { sources }: FilesInFolders) =>
  sources.reduce((sum, source) => sum + countFiles(table, source), 0)

function addressesOf(location: string, table: WarehouseTable, unit: WarehouseUnit, count: number): readonly string[] {
  const folder = location + folderPath(table, unit)
  return Array.from({ length: count }, (_, file) => folder + fileName(unit, file))
}
