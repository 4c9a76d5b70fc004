import { join } from 'node:path'
import { FileDiffers } from '../../../adapters/s3/compare-bytes.ts'
import type { WarehouseFile, WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import type { StoredUnit, Warehouse } from '../../../core/switching/ports.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import {
  contentTable,
  contentUnit,
  currentTable,
  currentUnit,
  fileName,
  filePrefix,
  folderPath,
  priceTable,
  readFileName,
  type WarehouseTable,
  type WarehouseUnit,
  warehouseTables,
} from '../../../schema/columns/warehouse-tables.ts'
import { writeContentRows } from './content-rows.ts'
import { writeCurrentRows } from './current-rows.ts'
import { openLocalFiles } from './local-files.ts'
import { openLocalWorkspace, publishUnit, removeOldWorkspaces, type Workspace } from './local-workspace.ts'

/**
 * Stores the warehouse's files, in a local folder or a bucket. A unit (a source or a content) is written to a local
 * folder first and appears in the warehouse once it is complete.
 */
export interface WarehouseFolder extends Warehouse {
  /** Creates an empty local folder for the files of one unit. */
  openWorkspace(unit: WarehouseUnit): Promise<Workspace>
  /** Returns true if a source has files in the warehouse; lists only those. */
  has(source: WarehouseUnit): Promise<boolean>
  /**
   * Lists units as `Warehouse` does.
   *
   * @param tables @default - those of sources and contents
   */
  list(tables?: readonly WarehouseTable[]): Promise<readonly StoredUnit[]>
}

interface WarehouseFolderChoice {
  readonly files: WarehouseFiles
  /** Local folder in which units are written. */
  readonly workspaces: string
}

/** Maximum number of units whose files are removed at the same time. */
const removalsAtOnce = 8

/** Opens a warehouse. Only its storage knows its files, so listing them also finds the remains of killed loads. */
export function openWarehouse({ files, workspaces }: WarehouseFolderChoice): WarehouseFolder {
  const prefixesOf = (unit: WarehouseUnit) => unit.tables.map((table) => folderPath(table, unit) + filePrefix(unit))
  const openWorkspace = (unit: WarehouseUnit) => openLocalWorkspace(workspaces, unit, files.upload)
  return {
    openWorkspace,
    writeContent: (contentId, names, sources) =>
      publishUnit(openWorkspace, contentUnit(contentId), ({ fileOf }) =>
        writeContentRows(fileOf(contentTable), contentId, names, sources),
      ),
    async writeCurrent(version, current) {
      try {
        await publishUnit(openWorkspace, currentUnit(version), ({ fileOf }) =>
          writeCurrentRows(fileOf(currentTable), version, current),
        )
        return 'written'
      } catch (error) {
        if (error instanceof FileDiffers) return 'superseded'
        throw error
      }
    },
    has: (source) => files.exists(folderPath(priceTable, source) + fileName(source)),
    remove: (units) => workAtOnce(units.flatMap(prefixesOf), removalsAtOnce, (prefix) => files.removeBelow(prefix)),
    async list(tables = warehouseTables) {
      const storedFiles: WarehouseFile[] = []
      for (const { name } of tables) storedFiles.push(...(await files.list(`${name}/`)))
      return groupByUnit(storedFiles)
    },
    cleanWorkspaces: (before) => removeOldWorkspaces(workspaces, before),
  }
}

/**
 * Opens a warehouse in a local folder. Each file is renamed into place, so a killed load leaves no half-written file
 * where searches read, and no search names an incomplete unit. The remains in a workspace are harmless.
 */
export function openWarehouseFolder(root: string): WarehouseFolder {
  // Beside the tables: on their file system, but not in the folder of a table.
  return openWarehouse({ files: openLocalFiles(root), workspaces: join(root, '.workspaces') })
}

/** Returns the units that files belong to, with the sum of their bytes and the latest of their times; oldest first. */
function groupByUnit(files: readonly WarehouseFile[]): readonly StoredUnit[] {
  const units = new Map<string, StoredUnit>()
  for (const { path, bytes, modifiedAt } of files) {
    const ids = readFileName(path)
    if (ids === undefined) continue
    const unit = units.get(ids.id)
    const touchedAt = unit !== undefined && unit.touchedAt > modifiedAt ? unit.touchedAt : modifiedAt
    units.set(ids.id, { ...ids, bytes: bytes + (unit?.bytes ?? 0), touchedAt })
  }
  return [...units.values()].sort((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
}
