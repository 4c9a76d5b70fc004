import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileListKey, readFileList, type SearchTable, searchIdColumn } from '../../../schema/columns/search-tables.ts'
import { QueryFault } from '../faults.ts'
import { type S3Address, showS3Address } from '../s3-address.ts'
import type { ResultStore } from '../unload.ts'
import type { PartitionValues, RelationFiles } from './warehouse-files.ts'

/** Where the local Athena finds lists of files, and the files themselves. */
export interface ListedFolders {
  readonly warehouseFolder: string
  readonly objects: Pick<ResultStore, 'readText'>
  /** The folder of all lists. @default - there are no search tables */
  readonly fileLists?: S3Address | undefined
}

/** The files of one search. */
export interface ListedFiles extends RelationFiles {
  readonly searchId: string
}

/**
 * Finds the files of the search that a query names. As in Trino, a list that is missing has no files, and a file that
 * is named twice is read twice.
 *
 * @throws QueryFault if the query names no search or several, or a file does not exist
 */
export async function findListedFiles(
  { warehouseFolder, objects, fileLists }: ListedFolders,
  { name, table }: SearchTable,
  partitions: PartitionValues,
): Promise<ListedFiles> {
  if (fileLists === undefined) throw new QueryFault('TABLE_NOT_FOUND', `Table '${name}' does not exist`)
  const [searchId, ...others] = partitions.get(searchIdColumn.name) ?? []
  if (searchId === undefined || others.length > 0)
    throw new QueryFault(
      'CONSTRAINT_VIOLATION',
      `the injected projected partition column ${searchIdColumn.name} must be compared with one literal`,
    )
  const { bucket } = fileLists
  const key = fileLists.key + fileListKey(table, searchId)
  const addresses = readFileList((await objects.readText(bucket, key)) ?? '')
  const files = await Promise.all(
    addresses.map(async (address) => {
      // Addresses begin with the address of the warehouse on AWS, which has the same folders.
      const [path] = new RegExp(`${table.name}/[^/]+/[^/]+$`).exec(address) ?? []
      const file = path === undefined ? undefined : await findFile(join(warehouseFolder, path))
      if (file !== undefined) return file
      const list = showS3Address({ bucket, key })
      throw new QueryFault(
        'HIVE_FILE_NOT_FOUND',
        `Manifest file from the location [${list}] contains non-existent path: ${address}`,
      )
    }),
  )
  return { searchId, paths: files.map(({ path }) => path), bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}

async function findFile(path: string): Promise<{ readonly path: string; readonly bytes: number } | undefined> {
  try {
    return { path, bytes: (await stat(path)).size }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
