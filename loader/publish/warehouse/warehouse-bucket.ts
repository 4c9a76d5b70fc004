import type { WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import {
  filePrefix,
  folderPath,
  type WarehousePart,
  warehouseTables,
} from '../../../schema/columns/warehouse-tables.ts'
import { openLocalWorkspace, removeOldWorkspaces } from './local-workspace.ts'
import { mergeStored, type WarehouseFolder } from './warehouse-folder.ts'

export interface WarehouseBucket {
  readonly files: WarehouseFiles
  /** Local folder in which parts are written before they are uploaded. */
  readonly workspaces: string
}

/** Maximum number of parts whose files are removed at the same time. */
const removalsAtOnce = 8

/** A warehouse in a bucket. Only the bucket knows its files, so what a killed load leaves is found by listing them. */
export function openWarehouseBucket({ files, workspaces }: WarehouseBucket): WarehouseFolder {
  const prefixesOf = (part: WarehousePart) => part.tables.map((table) => folderPath(table, part) + filePrefix(part))
  return {
    openWorkspace: (part) => openLocalWorkspace(workspaces, part, files.upload),
    has: async (part) => (await files.list(prefixesOf(part)[0] ?? '')).length > 0,
    remove: (parts) => workAtOnce(parts.flatMap(prefixesOf), removalsAtOnce, (prefix) => files.removeBelow(prefix)),
    async list(tables = warehouseTables) {
      const found = []
      for (const { name } of tables) found.push(...(await files.list(`${name}/`)))
      return mergeStored(found.map(({ path, bytes, modifiedAt }) => ({ path, bytes, touchedAt: modifiedAt })))
    },
    cleanWorkspaces: (before) => removeOldWorkspaces(workspaces, before),
  }
}
