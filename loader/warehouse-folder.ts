import { existsSync } from 'node:fs'
import { mkdir, rename, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sourceIdColumn } from '../core/rates.ts'
import type { WarehouseTable } from '../core/warehouse.ts'
import { partitionPath, warehouseTables } from '../core/warehouse.ts'
import { cleanSourceStaging, listFolders, openSourceStaging, removeFolder } from './source-staging.ts'

/**
 * Where the warehouse's files are. A source is made in a folder of this machine and appears in the warehouse when it is
 * finished; a folder of this machine and a bucket differ only in how that is done.
 */
export interface WarehouseFolder {
  /** Makes an empty local folder for the files of one source. */
  stage(sourceId: string): Promise<StagedSource>
  /** Removes what a source has in the warehouse, if anything. */
  remove(sourceId: string): Promise<void>
  /** Notes that sources no longer count from now on: they may be removed when a day has passed. */
  retire(sourceIds: readonly string[]): Promise<void>
  /** The sources in the warehouse, and what a killed load has left of one; oldest first. */
  list(): Promise<readonly StoredSource[]>
  /** Removes what killed loads have left in staging before a time. */
  cleanStaging(before: Date): Promise<void>
}

export interface StoredSource {
  readonly sourceId: string
  /** When it was written, or retired. */
  readonly touchedAt: Date
}

/** A source that is being written: nothing of it is in the warehouse yet. */
export interface StagedSource {
  /** For a writer's temporary files; it goes when the staging ends. */
  readonly scratch: string
  /** The local path to write a table's file to, the first or a further part; its folder exists. */
  fileOf(table: WarehouseTable, part?: number): string
  /** Puts all tables into the warehouse. */
  publish(): Promise<void>
  /** Removes everything that staging left; call it whether or not the source was published. */
  discard(): Promise<void>
}

/** Below the warehouse's root and beside its tables: on their file system, and not in any table. */
const stagingFolder = '.staging'

/**
 * A warehouse in a folder of this machine. Each table's partition is renamed into place, so that a load that is killed
 * leaves no half-written file where searches read; what it leaves in the staging folder is harmless.
 */
export function openWarehouseFolder(root: string): WarehouseFolder {
  return {
    async stage(sourceId) {
      const staging = await openSourceStaging(join(root, stagingFolder), sourceId)
      return {
        ...staging,
        async publish() {
          for (const { name } of warehouseTables) {
            const partition = join(root, partitionPath(name, sourceId))
            await mkdir(dirname(partition), { recursive: true })
            await rename(staging.folderOf(name), partition)
          }
        },
      }
    },
    async remove(sourceId) {
      await Promise.all(partitionsOf(sourceId).map((path) => removeFolder(join(root, path))))
    },
    async retire(sourceIds) {
      const now = new Date()
      const folders = sourceIds.flatMap((sourceId) => partitionsOf(sourceId).map((path) => join(root, path)))
      await Promise.all(folders.filter((folder) => existsSync(folder)).map((folder) => utimes(folder, now, now)))
    },
    async list() {
      const found = await Promise.all(warehouseTables.map(({ name }) => listPartitions(join(root, name))))
      const touched = new Map<string, Date>()
      for (const { sourceId, touchedAt } of found.flat()) {
        if (touchedAt > (touched.get(sourceId) ?? 0)) touched.set(sourceId, touchedAt)
      }
      const sources = [...touched].map(([sourceId, touchedAt]) => ({ sourceId, touchedAt }))
      return sources.sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
    },
    cleanStaging: (before) => cleanSourceStaging(join(root, stagingFolder), before),
  }
}

const partitionsOf = (sourceId: string) => warehouseTables.map((table) => partitionPath(table.name, sourceId))

async function listPartitions(table: string): Promise<readonly StoredSource[]> {
  return (await listFolders(table)).flatMap(({ path, touchedAt }) => {
    const [, sourceId] = basename(path).split(`${sourceIdColumn}=`)
    return sourceId === undefined ? [] : [{ sourceId, touchedAt }]
  })
}
