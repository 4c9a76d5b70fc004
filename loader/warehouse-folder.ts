import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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
}

/** A source that is being written: nothing of it is in the warehouse yet. */
export interface StagedSource {
  /** For a writer's temporary files; it goes when the staging ends. */
  readonly scratch: string
  /** The local path to write a table's one file to; its folder exists. */
  fileOf(table: WarehouseTable): string
  /** Puts all tables into the warehouse. */
  publish(): Promise<void>
  /** Removes everything that staging left; call it whether or not the source was published. */
  discard(): Promise<void>
}

/** Below the warehouse's root and beside its tables: on their file system, and not in any table. */
const stagingFolder = '.staging'

const fileName = 'part-00000.parquet'

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
      const partitions = warehouseTables.map((table) => partitionPath(table.name, sourceId))
      await Promise.all([scratch, ...partitions.map((path) => join(staging, path))].map(makeFolder))
      return {
        scratch,
        fileOf: (table) => join(staging, partitionPath(table.name, sourceId), fileName),
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
      await Promise.all(warehouseTables.map((table) => removeFolder(join(root, partitionPath(table.name, sourceId)))))
    },
  }
}

const makeFolder = (path: string) => mkdir(path, { recursive: true })

const removeFolder = (path: string) => rm(path, { recursive: true, force: true })
