import { mkdir, readdir, rename, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WarehousePart, WarehouseTable } from '../../schema/warehouse-tables.ts'
import { contentPart, contentTable, partitionPath, sourcePart, sourceTables } from '../../schema/warehouse-tables.ts'
import { cleanStagingFolders, listFolders, openPartStaging, removeFolder } from '../staging/part-staging.ts'

/**
 * Where the warehouse's files are. A part (a source or a content) is made in a folder of this machine and appears in the
 * warehouse when it is finished; a folder of this machine and a bucket differ only in how that is done.
 */
export interface WarehouseFolder {
  /** Makes an empty local folder for the files of one part. */
  stage(part: WarehousePart): Promise<StagedPart>
  /** Lets queries find the parts; doing so again changes nothing. */
  register(parts: readonly WarehousePart[]): Promise<void>
  /** Removes what the parts have in the warehouse, if anything. */
  remove(parts: readonly WarehousePart[]): Promise<void>
  /** The parts in the warehouse, and what a killed load has left of one; oldest first. */
  list(): Promise<readonly StoredPart[]>
  /** Removes what killed loads have left in staging before a time. */
  cleanStaging(before: Date): Promise<void>
}

/** A source or a content that has files in the warehouse. */
export type StoredPart = {
  /** When it was written. */
  readonly touchedAt: Date
} & (
  | { readonly kind: 'source'; readonly loadId: string; readonly sourceId: string }
  | { readonly kind: 'content'; readonly contentId: string }
)

/** A part that is being written: nothing of it is in the warehouse yet. */
export interface StagedPart {
  /** For a writer's temporary files; it goes when the staging ends. */
  readonly scratch: string
  /** The local path to write a table's file to, the first or a further part; its folder exists. */
  fileOf(table: WarehouseTable, part?: number): string
  /** Puts all tables into the warehouse, and returns the size of their files in bytes. */
  publish(): Promise<number>
  /** Removes everything that staging left; call it whether or not the part was published. */
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
    async stage(part) {
      const staging = await openPartStaging(join(root, stagingFolder), part)
      return {
        ...staging,
        async publish() {
          let bytes = 0
          for (const table of part.tables) {
            bytes += await measureFolder(staging.folderOf(table))
            const partition = join(root, partitionPath(table, part.values))
            await mkdir(dirname(partition), { recursive: true })
            await rename(staging.folderOf(table), partition)
          }
          return bytes
        },
      }
    },
    // A folder's partitions are the folders in it.
    register: () => Promise.resolve(),
    async remove(parts) {
      for (const { tables, values } of parts) {
        const folders = tables.map((table) => join(root, partitionPath(table, values)))
        await Promise.all(folders.map(removeFolder))
        // The folder of a load goes with its last source; one that has others is not empty and stays.
        if (values.length > 1) await Promise.all(folders.map((path) => rmdir(dirname(path)).catch(() => undefined)))
      }
    },
    async list() {
      const found: StoredPart[] = []
      for (const { name } of sourceTables) {
        for (const load of await listFolders(join(root, name))) {
          for (const { path, touchedAt } of await listFolders(load.path)) {
            found.push({ kind: 'source', loadId: valueIn(load.path), sourceId: valueIn(path), touchedAt })
          }
        }
      }
      for (const { path, touchedAt } of await listFolders(join(root, contentTable.name)))
        found.push({ kind: 'content', contentId: valueIn(path), touchedAt })
      return mergeStored(found)
    },
    cleanStaging: (before) => cleanStagingFolders(join(root, stagingFolder), before),
  }
}

async function measureFolder(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The value of a partition's folder, `<column>=<value>`. */
const valueIn = (path: string) => basename(path).split('=')[1] ?? ''

/** Each part once, with the latest of its times; oldest first. */
export function mergeStored(found: readonly StoredPart[]): readonly StoredPart[] {
  const parts = Map.groupBy(found, (part) => partOf(part).values.join('/'))
  return [...parts.values()]
    .flatMap((same) => same.toSorted((a, b) => b.touchedAt.getTime() - a.touchedAt.getTime()).slice(0, 1))
    .sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
}

/** The part of the warehouse that was found stored. */
export function partOf(stored: StoredPart): WarehousePart {
  return stored.kind === 'source' ? sourcePart(stored) : contentPart(stored.contentId)
}
