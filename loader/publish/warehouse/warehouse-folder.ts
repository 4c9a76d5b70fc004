import { createReadStream, existsSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { haveSameBytes } from '../../../adapters/s3/compare-bytes.ts'
import { FileDiffers, type WarehouseFile, type WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import type { StoredUnit, Warehouse } from '../../../core/switching/ports.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import {
  contentTable,
  contentUnit,
  currentTable,
  currentUnit,
  filePrefix,
  folderPath,
  readFileName,
  type WarehouseTable,
  type WarehouseUnit,
  warehouseTables,
} from '../../../schema/columns/warehouse-tables.ts'
import { writeContentRows } from './content-rows.ts'
import { writeCurrentRows } from './current-rows.ts'
import { openLocalWorkspace, publishPart, removeOldWorkspaces, type Workspace } from './local-workspace.ts'

/**
 * Stores the warehouse's files, in a local folder or a bucket. A part (a source or a content) is written to a local
 * folder first and appears in the warehouse once it is complete.
 */
export interface WarehouseFolder extends Warehouse {
  /** Creates an empty local folder for the files of one part. */
  openWorkspace(part: WarehouseUnit): Promise<Workspace>
  /** Whether the part has files in the warehouse; asks only for those. */
  has(part: WarehouseUnit): Promise<boolean>
  /**
   * Lists parts as `Warehouse` does.
   *
   * @param tables @default - those of sources and contents
   */
  list(tables?: readonly WarehouseTable[]): Promise<readonly StoredUnit[]>
}

interface WarehousePlace {
  readonly files: WarehouseFiles
  /** Local folder in which parts are written. */
  readonly workspaces: string
}

/** Maximum number of parts whose files are removed at the same time. */
const removalsAtOnce = 8

/** A warehouse of which only the storage knows the files, so what a killed load leaves is found by listing them. */
export function openWarehouse({ files, workspaces }: WarehousePlace): WarehouseFolder {
  const prefixesOf = (part: WarehouseUnit) => part.tables.map((table) => folderPath(table, part) + filePrefix(part))
  const openWorkspace = (part: WarehouseUnit) => openLocalWorkspace(workspaces, part, files.upload)
  return {
    openWorkspace,
    writeContent: (contentId, names, sources) =>
      publishPart(openWorkspace, contentUnit(contentId), ({ fileOf }) =>
        writeContentRows(fileOf(contentTable), contentId, names, sources),
      ),
    async writeCurrent(version, current) {
      await publishPart(openWorkspace, currentUnit(version), ({ fileOf }) =>
        writeCurrentRows(fileOf(currentTable), version, current),
      )
    },
    has: async (part) => (await files.list(prefixesOf(part)[0] ?? '')).length > 0,
    remove: (parts) => workAtOnce(parts.flatMap(prefixesOf), removalsAtOnce, (prefix) => files.removeBelow(prefix)),
    async list(tables = warehouseTables) {
      const found: WarehouseFile[] = []
      for (const { name } of tables) found.push(...(await files.list(`${name}/`)))
      return mergeStored(found)
    },
    cleanWorkspaces: (before) => removeOldWorkspaces(workspaces, before),
  }
}

/**
 * A warehouse in a local folder. Each file is renamed into place, so a killed load leaves no half-written file where
 * searches read, and no search names a part that is not whole; what is left in a workspace is harmless.
 */
export function openWarehouseFolder(root: string): WarehouseFolder {
  // Beside the tables: on their file system, but not part of any table.
  return openWarehouse({ files: openLocalFiles(root), workspaces: join(root, '.workspaces') })
}

function openLocalFiles(root: string): WarehouseFiles {
  async function list(prefix: string): Promise<readonly WarehouseFile[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const names = existsSync(join(root, folder)) ? await readdir(join(root, folder), { recursive: true }) : []
    const paths = names.map((name) => folder + name.replaceAll(sep, '/')).filter((path) => path.startsWith(prefix))
    return paths.sort().flatMap((path) => {
      // Another process may just have removed it.
      const found = statSync(join(root, path), { throwIfNoEntry: false })
      return found?.isFile() ? [{ path, bytes: found.size, modifiedAt: found.mtime }] : []
    })
  }
  return {
    async upload(path, filePath) {
      const target = join(root, path)
      await mkdir(dirname(target), { recursive: true })
      if (!existsSync(target)) await rename(filePath, target)
      else if (!(await haveSameBytes(createReadStream(target), createReadStream(filePath))))
        throw new FileDiffers(target)
    },
    list,
    async removeBelow(prefix) {
      await Promise.all((await list(prefix)).map(({ path }) => rm(join(root, path), { force: true })))
    },
  }
}

/** The parts that files belong to, with all their bytes and the latest of their times; oldest first. */
function mergeStored(files: readonly WarehouseFile[]): readonly StoredUnit[] {
  const stored = new Map<string, StoredUnit>()
  for (const { path, bytes, modifiedAt } of files) {
    const ids = readFileName(path)
    if (ids === undefined) continue
    const known = stored.get(ids.id)
    const touchedAt = known !== undefined && known.touchedAt > modifiedAt ? known.touchedAt : modifiedAt
    stored.set(ids.id, { ...ids, bytes: bytes + (known?.bytes ?? 0), touchedAt })
  }
  return [...stored.values()].sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
}
