import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  contentPart,
  fileName,
  filePrefix,
  folderPath,
  readFileName,
  sourcePart,
  type WarehousePart,
  type WarehouseTable,
  warehouseTables,
} from '../../../schema/columns/warehouse-tables.ts'
import { type Folder, listFolder, openLocalWorkspace, removeOldWorkspaces, type Workspace } from './local-workspace.ts'

/**
 * Stores the warehouse's files, in a local folder or a bucket. A part (a source or a content) is written to a local
 * folder first and appears in the warehouse once it is complete.
 */
export interface WarehouseFolder {
  /** Creates an empty local folder for the files of one part. */
  openWorkspace(part: WarehousePart): Promise<Workspace>
  /** Whether the part has files in the warehouse; asks only for those. */
  has(part: WarehousePart): Promise<boolean>
  /** Removes the parts from the warehouse. Idempotent. */
  remove(parts: readonly WarehousePart[]): Promise<void>
  /**
   * Lists the parts in the warehouse, including incomplete ones of killed loads; oldest first.
   *
   * @param tables @default - those of sources and contents
   */
  list(tables?: readonly WarehouseTable[]): Promise<readonly StoredPart[]>
  /** Removes what loads killed before this time left in workspaces. */
  cleanWorkspaces(before: Date): Promise<void>
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

/** Beside the tables: on their file system, but not part of any table. */
const workspaces = '.workspaces'

/**
 * A warehouse in a local folder. Each file is renamed into place, so a killed load leaves no half-written file where
 * searches read, and no search names a part that is not whole; what is left in a workspace is harmless.
 */
export function openWarehouseFolder(root: string): WarehouseFolder {
  return {
    openWorkspace: (part) =>
      openLocalWorkspace(join(root, workspaces), part, async (path, filePath) => {
        await mkdir(dirname(join(root, path)), { recursive: true })
        await rename(filePath, join(root, path))
      }),
    has: (part) =>
      Promise.resolve(
        part.tables.slice(0, 1).some((table) => existsSync(join(root, folderPath(table, part), fileName(part)))),
      ),
    async remove(parts) {
      for (const part of parts) {
        for (const table of part.tables) {
          const folder = join(root, folderPath(table, part))
          const names = existsSync(folder) ? await readdir(folder) : []
          const own = names.filter((name) => name.startsWith(filePrefix(part)))
          await Promise.all(own.map((name) => rm(join(folder, name), { force: true })))
        }
      }
    },
    async list(tables = warehouseTables) {
      const found: Folder[] = []
      for (const { name } of tables)
        for (const { path } of await listFolder(join(root, name))) found.push(...(await listFolder(path)))
      return mergeStored(found)
    },
    cleanWorkspaces: (before) => removeOldWorkspaces(join(root, workspaces), before),
  }
}

/** The parts that files belong to, with all their bytes and the latest of their times; oldest first. */
export function mergeStored(files: readonly Folder[]): readonly StoredPart[] {
  const stored = new Map<string, StoredPart>()
  for (const { path, bytes, touchedAt } of files) {
    const { id, loadId } = readFileName(path) ?? {}
    if (id === undefined) continue
    const known = stored.get(id)
    const sum = { bytes: bytes + (known?.bytes ?? 0), touchedAt }
    if (known !== undefined && known.touchedAt > touchedAt) sum.touchedAt = known.touchedAt
    if (loadId === undefined) stored.set(id, { kind: 'content', contentId: id, ...sum })
    else stored.set(id, { kind: 'source', sourceId: id, loadId, ...sum })
  }
  return [...stored.values()].sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
}

/** Returns the warehouse part of a stored one. */
export function partOf(stored: StoredPart): WarehousePart {
  return stored.kind === 'source' ? sourcePart(stored) : contentPart(stored.contentId)
}
