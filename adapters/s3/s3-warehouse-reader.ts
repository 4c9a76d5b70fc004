import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { commandRequests } from '../request-limits.ts'
import { parseLocation } from './ranges/warehouse-location.ts'
import { createS3WarehouseFiles } from './s3-warehouse-files.ts'

/** Reads the files of a warehouse: for commands that compare them with what searches find. */
export interface WarehouseReader {
  /** Lists the paths of all files that begin with `prefix`. */
  listPaths(prefix: string): Promise<readonly string[]>
  /** Reads a whole file into memory. */
  read(path: string): Promise<ArrayBuffer>
}

/**
 * Reads the files of a warehouse in S3.
 *
 * @param location `s3://bucket/` or `s3://bucket/prefix/`
 */
export function createS3WarehouseReader(location: string, client = new S3Client(commandRequests)): WarehouseReader {
  const { Bucket, root } = parseLocation(location)
  const { list } = createS3WarehouseFiles(location, client)
  return {
    listPaths: async (prefix) => (await list(prefix)).map(({ path }) => path),
    read: async (path) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: root + path }))
      const bytes = await Body?.transformToByteArray()
      if (bytes === undefined) throw new TypeError(`S3 gave no bytes of ${path}`)
      return new Uint8Array(bytes).buffer
    },
  }
}
