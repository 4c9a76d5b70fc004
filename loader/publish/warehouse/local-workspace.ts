import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../../../fetch/error-code.ts'
import {
  fileName,
  folderPath,
  type WarehouseTable,
  type WarehouseUnit,
} from '../../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../../schema/printable-error.ts'
import type { TableFiles } from '../../write/encode-file.ts'

/** A unit of the warehouse that is written on this machine, and not in the warehouse yet. */
export interface Workspace extends TableFiles, AsyncDisposable {
  /**
   * Puts all tables into the warehouse.
   *
   * @returns the bytes of all files, and the number of files of each table
   */
  publish(): Promise<{ readonly bytes: number; readonly files: readonly number[] }>
}

/** The disk has no room for workspaces. */
class DiskFull extends PrintableError {}

/** Replaces the error of a full disk by one that names the disk and the next step; others stay as they are. */
export function nameFullDisk(error: unknown, { scratch }: Pick<TableFiles, 'scratch'>): unknown {
  if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) return error
  const folder = dirname(dirname(scratch))
  const fault = `the disk of ${folder} is full. What was active stays active, and files that were read are kept`
  return new DiskFull(`${fault}: make room, and repeat the command`, { cause: error })
}

/**
 * Makes an empty workspace for a unit of the warehouse, below `root`. It is removed when it is disposed, whether or not
 * the unit was published.
 *
 * @param put puts a file at its path in the warehouse
 */
export async function openLocalWorkspace(
  root: string,
  unit: WarehouseUnit,
  put: (path: string, filePath: string) => Promise<void>,
): Promise<Workspace> {
  await mkdir(root, { recursive: true })
  const workspace = await mkdtemp(join(root, `${unit.id}-`))
  const scratch = join(workspace, 'scratch')
  const folderOf = (table: WarehouseTable) => join(workspace, table.name)
  const folders = [scratch, ...unit.tables.map(folderOf)]
  await Promise.all(folders.map((path) => mkdir(path, { recursive: true })))
  return {
    scratch,
    fileOf: (table, file) => join(folderOf(table), fileName(unit, file)),
    publish: async () => {
      const files: number[] = []
      let bytes = 0
      for (const table of unit.tables) {
        const names = (await readdir(folderOf(table))).toSorted()
        files.push(names.length)
        for (const name of names) {
          const filePath = join(folderOf(table), name)
          bytes += (await stat(filePath)).size
          await put(folderPath(table, unit) + name, filePath)
        }
      }
      return { bytes, files }
    },
    [Symbol.asyncDispose]: () => removeFolder(workspace),
  }
}

/** Writes a unit in a workspace, and then puts it into the warehouse. @returns the bytes of its files */
export async function publishUnit(
  openWorkspace: (unit: WarehouseUnit) => Promise<Workspace>,
  unit: WarehouseUnit,
  write: (workspace: Workspace) => Promise<void>,
): Promise<number> {
  await using workspace = await openWorkspace(unit)
  try {
    await write(workspace)
    return (await workspace.publish()).bytes
  } catch (error) {
    throw nameFullDisk(error, workspace)
  }
}

/** Removes the workspaces that nobody has written to since `before`. */
export async function removeOldWorkspaces(root: string, before: Date): Promise<void> {
  const paths = existsSync(root) ? (await readdir(root)).map((name) => join(root, name)) : []
  await Promise.all(paths.map(async (path) => (await stat(path)).mtime < before && removeFolder(path)))
}

/** Removes a folder with all that is in it, if it is there. */
const removeFolder = (path: string) => rm(path, { recursive: true, force: true })
