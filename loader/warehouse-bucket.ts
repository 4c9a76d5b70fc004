import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WarehouseFiles } from '../adapters/s3-warehouse-files.ts'
import { sourceIdColumn } from '../core/rates.ts'
import { partitionPath, warehouseTables } from '../core/warehouse.ts'
import type { Partitions } from './register-partitions.ts'
import type { SourceStaging } from './source-staging.ts'
import { cleanSourceStaging, openSourceStaging } from './source-staging.ts'
import type { StoredSource, WarehouseFolder } from './warehouse-folder.ts'

export interface WarehouseBucket {
  readonly files: WarehouseFiles
  readonly partitions: Partitions
  /** Folder of this machine in which sources are written before they are uploaded. */
  readonly stagingFolder: string
}

/** Beside the tables: an empty file for each source that no longer counts, as old as that. */
const retiredPath = (sourceId: string) => `retired/${sourceId}`

/**
 * A warehouse in a bucket. A source's files are uploaded, then its partitions registered; it is removed the other way
 * round. So a registered partition has its files, and what a killed load has left is found by its files.
 */
export function openWarehouseBucket({ files, partitions, stagingFolder }: WarehouseBucket): WarehouseFolder {
  return {
    async stage(sourceId) {
      const staging = await openSourceStaging(stagingFolder, sourceId)
      return {
        ...staging,
        async publish() {
          const staged = await listStaged(staging, sourceId)
          for (const { path, filePath } of staged) await files.upload(path, filePath)
          await partitions.add(sourceId)
        },
      }
    },
    async remove(sourceId) {
      await partitions.drop(sourceId)
      for (const { name } of warehouseTables) await files.removeBelow(partitionPath(name, sourceId))
      await files.remove(retiredPath(sourceId))
    },
    async retire(sourceIds) {
      for (const sourceId of sourceIds) await files.mark(retiredPath(sourceId))
    },
    async list() {
      const stored = await Promise.all(warehouseTables.map(({ name }) => files.list(`${name}/${sourceIdColumn}=`)))
      const touched = new Map<string, Date>()
      const touch = (sourceId: string, at: Date) => {
        if (at > (touched.get(sourceId) ?? 0)) touched.set(sourceId, at)
      }
      for (const { path, modifiedAt } of stored.flat()) touch(sourceIdIn(path), modifiedAt)
      for (const { path, modifiedAt } of await files.list(retiredPath(''))) {
        const sourceId = path.slice(retiredPath('').length)
        // A mark outlives its source where a removal was cut short: it is no source.
        if (touched.has(sourceId)) touch(sourceId, modifiedAt)
      }
      const sources: readonly StoredSource[] = [...touched].map(([sourceId, touchedAt]) => ({ sourceId, touchedAt }))
      return sources.toSorted((a, b) => a.touchedAt.getTime() - b.touchedAt.getTime())
    },
    cleanStaging: (before) => cleanSourceStaging(stagingFolder, before),
  }
}

/** The files to upload, each with its path in the warehouse. */
async function listStaged(staging: SourceStaging, sourceId: string) {
  const staged = await Promise.all(
    warehouseTables.map(async ({ name }) => {
      const names = (await readdir(staging.folderOf(name))).toSorted()
      return names.map((file) => ({
        path: `${partitionPath(name, sourceId)}${file}`,
        filePath: join(staging.folderOf(name), file),
      }))
    }),
  )
  return staged.flat()
}

function sourceIdIn(path: string): string {
  const [, partition = ''] = path.split('/')
  return partition.slice(`${sourceIdColumn}=`.length)
}
