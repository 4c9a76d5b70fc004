import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sourceIdColumn } from '../core/rates.ts'
import type { WarehouseTable } from '../core/warehouse.ts'
import { partitionPath, warehouseTables } from '../core/warehouse.ts'

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

const fileName = (part: number) => `part-${String(part).padStart(5, '0')}.parquet`

/**
 * A warehouse in a folder of this machine. Each table's partition is renamed into place, so that a load that is killed
 * leaves no half-written file where searches read; what it leaves in the staging folder is harmless.
 */
export function openWarehouseFolder(root: string): WarehouseFolder {
  return {
    async stage(sourceId) {
      await mkdir(join(root, stagingFolder), { recursive: true })
      const staging = await mkdtemp(join(root, stagingFolder, `${sourceId}-`))
      const scratch = join(staging, 'scratch')
      const partitions = partitionsOf(sourceId)
      await Promise.all([scratch, ...partitions.map((path) => join(staging, path))].map(makeFolder))
      return {
        scratch,
        fileOf: (table, part = 0) => join(staging, partitionPath(table.name, sourceId), fileName(part)),
        async publish() {
          for (const path of partitions) {
            await makeFolder(dirname(join(root, path)))
            await rename(join(staging, path), join(root, path))
          }
        },
        discard: () => removeFolder(staging),
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
    async cleanStaging(before) {
      const left = await listFolders(join(root, stagingFolder))
      await Promise.all(left.filter(({ touchedAt }) => touchedAt < before).map(({ path }) => removeFolder(path)))
    },
  }
}

const partitionsOf = (sourceId: string) => warehouseTables.map((table) => partitionPath(table.name, sourceId))

async function listPartitions(table: string): Promise<readonly StoredSource[]> {
  return (await listFolders(table)).flatMap(({ path, touchedAt }) => {
    const [, sourceId] = basename(path).split(`${sourceIdColumn}=`)
    return sourceId === undefined ? [] : [{ sourceId, touchedAt }]
  })
}

async function listFolders(folder: string) {
  if (!existsSync(folder)) return []
  const paths = (await readdir(folder)).map((name) => join(folder, name))
  return Promise.all(paths.map(async (path) => ({ path, touchedAt: (await stat(path)).mtime })))
}

const makeFolder = (path: string) => mkdir(path, { recursive: true })

const removeFolder = (path: string) => rm(path, { recursive: true, force: true })
