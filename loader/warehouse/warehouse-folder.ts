import { mkdir, readdir, rename, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WarehousePart, WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import {
  contentPart,
  contentTable,
  partitionPath,
  sourcePart,
  sourceTables,
} from '../../schema/columns/warehouse-tables.ts'
import { cleanStagingFolders, listFolders, openPartStaging, removeFolder } from '../staging/part-staging.ts'

/**
 * Stores the warehouse's files, in a local folder or a bucket. A part (a source or a content) is written to a local
 * folder first and appears in the warehouse once it is complete.
 */
export interface WarehouseFolder {
  /** Creates an empty local folder for the files of one part. */
  stage(part: WarehousePart): Promise<StagedPart>
  /** Makes the parts visible to queries. Idempotent. */
  register(parts: readonly WarehousePart[]): Promise<void>
  /** Removes the parts from the warehouse. Idempotent. */
  remove(parts: readonly WarehousePart[]): Promise<void>
  /** Lists the parts in the warehouse, including incomplete ones of killed loads; oldest first. */
  list(): Promise<readonly StoredPart[]>
  /** Removes what loads killed before this time left in staging. */
  cleanStaging(before: Date): Promise<void>
}

/** A source or a content that has files in the warehouse. */
export type StoredPart = {
  /** Of its files in all tables. */
  readonly bytes: number
  /** When it was written. */
  readonly touchedAt: Date
} & (
  | { readonly kind: 'source'; readonly loadId: string; readonly sourceId: string }
  | { readonly kind: 'content'; readonly contentId: string }
)

/** A part that is being written and not in the warehouse yet. */
export interface StagedPart {
  /** For a writer's temporary files; removed with the staging folder. */
  readonly scratch: string
  /** The local path to write a table's file to, the first or a further part; its folder exists. */
  fileOf(table: WarehouseTable, part?: number): string
  /** Puts all tables into the warehouse, and returns the size of their files in bytes. */
  publish(): Promise<number>
  /** Removes everything that staging left; call it whether or not the part was published. */
  discard(): Promise<void>
}

/** Beside the tables: on their file system, but not part of any table. */
const stagingFolder = '.staging'

/**
 * A warehouse in a local folder. Each table's partition is renamed into place, so a killed load leaves no half-written
 * file where searches read; what it leaves in the staging folder is harmless.
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
    // The folders are the partitions.
    register: () => Promise.resolve(),
    async remove(parts) {
      for (const { tables, values } of parts) {
        const folders = tables.map((table) => join(root, partitionPath(table, values)))
        await Promise.all(folders.map(removeFolder))
        // The folder of a load is removed with its last source; `rmdir` fails while it has others.
        if (values.length > 1) await Promise.all(folders.map((path) => rmdir(dirname(path)).catch(() => undefined)))
      }
    },
    async list() {
      const found: StoredPart[] = []
      for (const { name } of sourceTables) {
        for (const load of await listFolders(join(root, name))) {
          for (const { path, touchedAt } of await listFolders(load.path)) {
            const bytes = await measureFolder(path)
            found.push({ kind: 'source', loadId: valueIn(load.path), sourceId: valueIn(path), bytes, touchedAt })
          }
        }
      }
      for (const { path, touchedAt } of await listFolders(join(root, contentTable.name)))
        found.push({ kind: 'content', contentId: valueIn(path), bytes: await measureFolder(path), touchedAt })
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

/** Merges the files of each part, with their bytes and the latest of their times; oldest first. */
export function mergeStored(found: readonly StoredPart[]): readonly StoredPart[] {
  const parts = Map.groupBy(found, (part) => partOf(part).values.join('/'))
  return [...parts.values()]
    .flatMap((same) => {
      const bytes = same.reduce((sum, part) => sum + part.bytes, 0)
      const latest = same.toSorted((a, b) => b.touchedAt.getTime() - a.touchedAt.getTime()).slice(0, 1)
      return latest.map((part) => ({ ...part, bytes }))
    })
    .sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
}

/** Returns the warehouse part of a stored one. */
export function partOf(stored: StoredPart): WarehousePart {
  return stored.kind === 'source' ? sourcePart(stored) : contentPart(stored.contentId)
}
