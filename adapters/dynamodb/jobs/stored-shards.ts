import * as v from 'valibot'
import type { Shard } from '../../../core/job/job.ts'
import type { Item } from '../dynamo-client.ts'

/**
 * The stored form of a result's shards. Results of earlier versions lack checksums, the key of their columns and the
 * values without rows.
 */

const shardSchema = v.object({
  key: v.string(),
  bytes: v.number(),
  rows: v.number(),
  checksum: v.exactOptional(
    v.object({
      algorithm: v.picklist(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']),
      type: v.picklist(['FULL_OBJECT', 'COMPOSITE']),
      value: v.string(),
    }),
  ),
})

export const shardsSchema = v.object({
  run: v.string(),
  attempt: v.number(),
  columns_key: v.exactOptional(v.string()),
  without_rows: v.exactOptional(v.instance(Uint8Array)),
  shards: v.pipe(v.array(shardSchema), v.minLength(1)),
})

export function copyShard({ key, bytes, rows, checksum }: Shard): Item {
  return { key, bytes, rows, ...(checksum && { checksum: { ...checksum } }) }
}
