import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { sourceIdColumn } from '../../core/rates.ts'
import type { Condition, Literal } from './syntax.ts'

/** The Parquet files of a relation. */
export interface RelationFiles {
  readonly paths: readonly string[]
  readonly bytes: number
}

/** The sources that a query reads; undefined means all. */
export type SourceIds = ReadonlySet<string> | undefined

/**
 * Lists the Parquet files of a relation's folder, skipping partitions of other sources. The folder is listed for every
 * query, so each query sees the latest loads.
 *
 * @param sourceIds compared with existing folder names, so an id from a query never becomes part of a path
 */
export async function listRelationFiles(folder: string, sourceIds: SourceIds): Promise<RelationFiles> {
  const entries = await readFolder(folder)
  const wanted = entries.filter(({ name }) => sourceIds === undefined || isOfSource(name, sourceIds))
  const listed = await Promise.all(
    wanted.map((entry) => (entry.isDirectory() ? listBelow(folder, entry.name) : [entry.name])),
  )
  const paths = listed
    .flat()
    .filter(isData)
    .sort()
    .map((path) => join(folder, path))
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
  return { paths, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The folders directly below the warehouse. Each one that has files is a relation. */
export async function listRelations(warehouseFolder: string): Promise<readonly string[]> {
  return (await readFolder(warehouseFolder)).filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** Finds the sources that a condition admits: the values of `source_id` that every row must match. */
export function findSourceIds(where: Condition | undefined): SourceIds {
  if (where === undefined) return undefined
  const terms = where.kind === 'and' ? where.terms : [where]
  const lists = terms.map(findTermSourceIds).filter((ids) => ids !== undefined)
  return lists.length === 0 ? undefined : lists.reduce((a, b) => a.intersection(b))
}

function findTermSourceIds(term: Condition): SourceIds {
  if ('terms' in term) return term.kind === 'and' ? findSourceIds(term) : undefined
  if (term.column.name !== sourceIdColumn) return undefined
  return new Set((term.kind === 'equals' ? [term.literal] : term.literals).flatMap(textOf))
}

const textOf = (literal: Literal) => (literal.kind === 'string' ? [literal.value] : [])

function isOfSource(folderName: string, sourceIds: ReadonlySet<string>): boolean {
  const [key, id] = folderName.split('=', 2)
  return key !== sourceIdColumn || id === undefined || sourceIds.has(id)
}

/** Skips names that start with a dot or underscore, as Hive does: those files are still being written. */
function isData(path: string): boolean {
  return path.endsWith('.parquet') && path.split(sep).every((part) => !/^[._]/.test(part))
}

/** Lists everything in a partition, relative to the relation's folder. */
async function listBelow(folder: string, partition: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, partition), { recursive: true })
  return names.map((name) => join(partition, name))
}

async function readFolder(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
