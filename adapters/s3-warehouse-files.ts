import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { listPages, removeObjects } from './s3-prefix.ts'

/** The files of a warehouse in a bucket, by their paths below its root. */
export interface WarehouseFiles {
  /** Stores a file of this machine; it is streamed, so it may be larger than the memory. */
  upload(path: string, filePath: string): Promise<void>
  /** Stores an empty file, or makes the one that is there as new as that. */
  mark(path: string): Promise<void>
  /** All files whose paths begin with `prefix`, in the order of their paths. */
  list(prefix: string): Promise<readonly WarehouseFile[]>
  /** Removes all files whose paths begin with `prefix`. */
  removeBelow(prefix: string): Promise<void>
  /** Removes a file; one that is not there is as good. */
  remove(path: string): Promise<void>
}

export interface WarehouseFile {
  readonly path: string
  readonly modifiedAt: Date
}

/**
 * The files of a warehouse in S3, by the SDK's own settings.
 *
 * @param location `s3://bucket/` or `s3://bucket/prefix/`
 * @throws StrangeLocation
 */
export function createS3WarehouseFiles(location: string, client = new S3Client({})): WarehouseFiles {
  const { Bucket, root } = parseLocation(location)

  async function list(prefix: string): Promise<WarehouseFile[]> {
    const files: WarehouseFile[] = []
    for await (const page of listPages(client, Bucket, root + prefix)) {
      for (const { Key = '', LastModified = new Date(0) } of page)
        files.push({ path: Key.slice(root.length), modifiedAt: LastModified })
    }
    return files
  }

  const removeAll = (paths: readonly string[]) =>
    removeObjects(
      client,
      Bucket,
      paths.map((path) => root + path),
    )

  return {
    upload: async (path, filePath) => {
      const { size } = await stat(filePath)
      const Body = createReadStream(filePath)
      await client.send(new PutObjectCommand({ Bucket, Key: root + path, Body, ContentLength: size }))
    },
    mark: async (path) => {
      await client.send(new PutObjectCommand({ Bucket, Key: root + path, Body: '', ContentLength: 0 }))
    },
    list,
    removeBelow: async (prefix) => removeAll((await list(prefix)).map(({ path }) => path)),
    remove: (path) => removeAll([path]),
  }
}

/** A location that is no bucket's, or does not end in `/`. */
export class StrangeLocation extends Error {
  override readonly name = 'StrangeLocation'
  constructor(location: string) {
    super(`not the location of a warehouse: ${location}`)
  }
}

function parseLocation(location: string) {
  const { bucket, root } = /^s3:\/\/(?<bucket>[^/]+)\/(?<root>(?:[^/]+\/)*)$/.exec(location)?.groups ?? {}
  if (bucket === undefined || root === undefined) throw new StrangeLocation(location)
  return { Bucket: bucket, root }
}
