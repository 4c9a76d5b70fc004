import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contentIdColumn, nppesMonthIdColumn, sourceIdColumn } from '../../../schema/columns/column.ts'
import { searchIdColumn } from '../../../schema/columns/search-tables.ts'
import { bucketColumn, readFileName } from '../../../schema/columns/warehouse-tables.ts'
import type { Comparison, Scan } from '../statement.ts'

/** The Parquet files of a relation. */
export interface RelationFiles {
  readonly paths: readonly string[]
  readonly bytes: number
}

/** The values that a query accepts, by column; columns that are missing here accept any value. */
export type PartitionValues = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Lists the Parquet files of a relation's folder, without the partitions (`<column>=<value>/`, at any depth) whose
 * values the query does not accept. The folder is listed again for every query, so the next query sees what a load has
 * added.
 *
 * @param values compared with the folders that exist, so that no value of a query becomes part of a path
 * @param ids the sources or contents whose files are read, as a reader of statistics would; all if absent
 */
export async function listRelationFiles(
  folder: string,
  values: PartitionValues,
  ids?: ReadonlySet<string>,
): Promise<RelationFiles> {
  const paths = (await listBelow(folder, values))
    .filter((path) => ids?.has(readFileName(path)?.id ?? '') ?? true)
    .sort()
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
  return { paths, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The folders directly below the warehouse; each one with files is a relation. */
export async function listRelations(warehouseFolder: string): Promise<readonly string[]> {
  return (await readFolder(warehouseFolder)).filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** Columns whose values say which files of the warehouse's tables a query reads. */
const positionColumns: readonly string[] = [
  bucketColumn.name,
  contentIdColumn,
  sourceIdColumn,
  nppesMonthIdColumn,
  searchIdColumn.name,
]

/**
 * Finds the ids and buckets to which all readings of a relation restrict its rows. Other partition columns belong to
 * the operator, and Hive escapes their values in paths.
 */
export function findPartitionValues(scans: readonly Pick<Scan, 'comparisons'>[]): PartitionValues {
  const values = scans.map(({ comparisons }) => valuesOfScan(comparisons))
  const columns = positionColumns.filter((column) => values.length > 0 && values.every((ofScan) => ofScan.has(column)))
  return new Map(
    columns.map((column) => [column, new Set(values.flatMap((ofScan) => [...(ofScan.get(column) ?? [])]))]),
  )
}

function valuesOfScan(comparisons: readonly Comparison[]): PartitionValues {
  const values = new Map<string, ReadonlySet<string>>()
  for (const { column, literals, isRequired } of comparisons) {
    if (!isRequired || !positionColumns.includes(column)) continue
    const admitted = new Set(literals.map(({ value }) => String(value)))
    values.set(column, values.get(column)?.intersection(admitted) ?? admitted)
  }
  return values
}

async function listBelow(folder: string, values: PartitionValues): Promise<string[]> {
  const entries = (await readFolder(folder)).filter((entry) => isRead(entry, values))
  const nestedPaths = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return listBelow(path, values)
      return path.endsWith('.parquet') ? [path] : []
    }),
  )
  return nestedPaths.flat()
}

/** Skips names that begin with a dot or an underscore, as Hive does: such files are still being written. */
function isRead(entry: Dirent, values: PartitionValues): boolean {
  if (/^[._]/.test(entry.name)) return false
  const [column = '', value] = entry.name.split('=', 2)
  return !entry.isDirectory() || value === undefined || (values.get(column)?.has(value) ?? true)
}

async function readFolder(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
