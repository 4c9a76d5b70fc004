import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { partitionPath, type WarehousePart, type WarehouseTable } from '../../schema/columns/warehouse-tables.ts'

/** Where one part of the warehouse is written on this machine before it is published. */
export interface PartStaging {
  /** For a writer's temporary files. */
  readonly scratch: string
  fileOf(table: WarehouseTable, part?: number): string
  /** The folder with a table's files. */
  folderOf(table: WarehouseTable): string
  discard(): Promise<void>
}

/** A folder of this machine with the time when it last changed. */
export interface Folder {
  readonly path: string
  readonly touchedAt: Date
}

/** The name of one part of a table. */
export const partFileName = (part: number) => `part-${String(part).padStart(5, '0')}.parquet`

/** Makes an empty staging folder for a part of the warehouse, below `root`. */
export async function openPartStaging(root: string, { tables, values }: WarehousePart): Promise<PartStaging> {
  await mkdir(root, { recursive: true })
  const staging = await mkdtemp(join(root, `${values.at(-1)}-`))
  const scratch = join(staging, 'scratch')
  const folderOf = (table: WarehouseTable) => join(staging, partitionPath(table, values))
  const folders = [scratch, ...tables.map(folderOf)]
  await Promise.all(folders.map((path) => mkdir(path, { recursive: true })))
  return {
    scratch,
    fileOf: (table, part = 0) => join(folderOf(table), partFileName(part)),
    folderOf,
    discard: () => removeFolder(staging),
  }
}

/** Removes the staging folders that nobody has written to since `before`. */
export async function cleanStagingFolders(root: string, before: Date): Promise<void> {
  const left = await listFolders(root)
  await Promise.all(left.filter(({ touchedAt }) => touchedAt < before).map(({ path }) => removeFolder(path)))
}

/** What is directly in a folder; nothing if there is no such folder. */
export async function listFolders(folder: string): Promise<readonly Folder[]> {
  if (!existsSync(folder)) return []
  const paths = (await readdir(folder)).map((name) => join(folder, name))
  return Promise.all(paths.map(async (path) => ({ path, touchedAt: (await stat(path)).mtime })))
}

/** Removes a folder with all that is in it, if it is there. */
export const removeFolder = (path: string) => rm(path, { recursive: true, force: true })
