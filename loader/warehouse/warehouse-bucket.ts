import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WarehouseFile, WarehouseFiles } from '../../adapters/s3/s3-warehouse-files.ts'
import type { Partitions } from '../../core/catalogue/ports.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { partitionPath, type WarehousePart, warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import { cleanStagingFolders, openPartStaging, type PartStaging } from '../staging/part-staging.ts'
import { mergeStored, type StoredPart, type WarehouseFolder } from './warehouse-folder.ts'

export interface WarehouseBucket {
  readonly files: WarehouseFiles
  readonly partitions: Partitions
  /** Local folder in which parts are written before they are uploaded. */
  readonly stagingFolder: string
}

/** Maximum number of partitions whose files are removed at the same time. */
const removalsAtOnce = 8

/**
 * A warehouse in a bucket. Partitions are registered after their files are uploaded and unregistered before the files
 * are removed, so a registered partition always has its files, and leftovers of a killed load are found by their files.
 */
export function openWarehouseBucket({ files, partitions, stagingFolder }: WarehouseBucket): WarehouseFolder {
  return {
    async stage(part) {
      const staging = await openPartStaging(stagingFolder, part)
      return {
        ...staging,
        async publish() {
          let bytes = 0
          for (const { path, filePath } of await listStaged(staging, part)) {
            bytes += (await stat(filePath)).size
            await files.upload(path, filePath)
          }
          return bytes
        },
      }
    },
    register: async (parts) => {
      for (const [table, values] of valuesByTable(parts)) await partitions.add(table, values)
    },
    async remove(parts) {
      for (const [table, values] of valuesByTable(parts)) await partitions.drop(table, values)
      const paths = parts.flatMap(({ tables, values }) => tables.map((table) => partitionPath(table, values)))
      await workAtOnce(paths, removalsAtOnce, (path) => files.removeBelow(path))
    },
    async list() {
      const found: StoredPart[] = []
      for (const { name } of warehouseTables)
        found.push(...(await files.list(`${name}/`)).flatMap((file) => describeStored(file)))
      return mergeStored(found)
    },
    cleanStaging: (before) => cleanStagingFolders(stagingFolder, before),
  }
}

/** The values of the parts' partitions, by table. */
function valuesByTable(parts: readonly WarehousePart[]) {
  return warehouseTables.flatMap((table) => {
    const values = parts.filter(({ tables }) => tables.includes(table)).map((part) => part.values)
    return values.length === 0 ? [] : [[table, values] as const]
  })
}

/** The files to upload, each with its path in the warehouse. */
async function listStaged(staging: PartStaging, { tables, values }: WarehousePart) {
  const staged = await Promise.all(
    tables.map(async (table) => {
      const names = (await readdir(staging.folderOf(table))).toSorted()
      return names.map((file) => ({
        path: `${partitionPath(table, values)}${file}`,
        filePath: join(staging.folderOf(table), file),
      }))
    }),
  )
  return staged.flat()
}

/** Returns the part that a file belongs to, by its path; empty for files that are not the loader's. */
function describeStored({ path, bytes, modifiedAt: touchedAt }: WarehouseFile): readonly StoredPart[] {
  const { contentId, loadId, sourceId } =
    /\/(?:content_id=(?<contentId>[^/]+)|load_id=(?<loadId>[^/]+)\/source_id=(?<sourceId>[^/]+))\//.exec(path)
      ?.groups ?? {}
  if (contentId !== undefined) return [{ kind: 'content', contentId, bytes, touchedAt }]
  return loadId === undefined || sourceId === undefined ? [] : [{ kind: 'source', loadId, sourceId, bytes, touchedAt }]
}
