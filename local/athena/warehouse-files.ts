import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { viewIdColumns } from '../../schema/columns/warehouse-tables.ts'
import type { Condition, Literal } from './sql/syntax.ts'

/** The Parquet files of a relation. */
export interface RelationFiles {
  readonly paths: readonly string[]
  readonly bytes: number
}

/** The values that a query accepts, by column; columns that are missing here accept any value. */
export type PartitionValues = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Lists the Parquet files of a relation's folder, without the partitions (`<column>=<value>/`, at any depth) that have
 * other values. The folder is listed again for every query, so the next query sees what a load has added.
 *
 * @param values compared with the folders that exist, so that no value of a query becomes part of a path
 */
export async function listRelationFiles(folder: string, values: PartitionValues): Promise<RelationFiles> {
  const paths = (await listBelow(folder, values)).sort()
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
  return { paths, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The folders directly below the warehouse; each one with files is a relation. */
export async function listRelations(warehouseFolder: string): Promise<readonly string[]> {
  return (await readFolder(warehouseFolder)).filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/**
 * Finds the content, load and source ids to which a condition restricts its rows. Other partition columns belong to the
 * operator, and Hive escapes their values in paths.
 */
export function findPartitionValues(where: Condition | undefined): PartitionValues {
  const values = new Map<string, ReadonlySet<string>>()
  for (const [column, admitted] of where === undefined ? [] : admittedBy(where)) {
    const known = values.get(column)
    values.set(column, known === undefined ? admitted : known.intersection(admitted))
  }
  return values
}

function admittedBy(term: Condition): readonly (readonly [column: string, values: ReadonlySet<string>])[] {
  if ('terms' in term) return term.kind === 'and' ? term.terms.flatMap(admittedBy) : []
  if (!viewIdColumns.includes(term.column.name)) return []
  const literals = term.kind === 'equals' ? [term.literal] : term.literals
  return [[term.column.name, new Set(literals.flatMap(textOf))]]
}

const textOf = (literal: Literal) => (literal.kind === 'string' ? [literal.value] : [])

async function listBelow(folder: string, values: PartitionValues): Promise<string[]> {
  const entries = (await readFolder(folder)).filter((entry) => isRead(entry, values))
  const listed = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return listBelow(path, values)
      return path.endsWith('.parquet') ? [path] : []
    }),
  )
  return listed.flat()
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
