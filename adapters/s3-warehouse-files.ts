import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { listPages, removeObjects } from './s3-prefix.ts'

/** The files of a warehouse in a bucket, by their paths below its root. */
export interface WarehouseFiles {
  /**
   * Stores a file of this machine, of any size; it is streamed, and nothing is there before all of it is. What fails is
   * tried again as the client does; given up, it leaves neither a file nor parts of one.
   */
  upload(path: string, filePath: string): Promise<void>
  /** All files whose paths begin with `prefix`, in the order of their paths. */
  list(prefix: string): Promise<readonly WarehouseFile[]>
  /** Removes all files whose paths begin with `prefix`. */
  removeBelow(prefix: string): Promise<void>
}

export interface WarehouseFile {
  readonly path: string
  readonly modifiedAt: Date
}

/** How an upload is cut. Source: Amazon S3 User Guide, "Amazon S3 multipart upload limits". */
const mostParts = 10_000

/** Parts of an upload that are in memory at once. */
const partsAtOnce = 4

/** The usual part, in bytes: 64 MiB in memory, and a file of 156 GiB before parts have to grow. */
const usualPart = 16 * 1024 ** 2

/**
 * The size of an upload's parts, so that the most that one upload may have suffice.
 *
 * @param fileBytes size of the whole file
 * @param smallest the part's size as long as that suffices
 */
export function choosePartSize(fileBytes: number, smallest = usualPart): number {
  return Math.max(smallest, Math.ceil(fileBytes / mostParts))
}

/**
 * The files of a warehouse in S3, by the SDK's own settings.
 *
 * @param location `s3://bucket/` or `s3://bucket/prefix/`
 * @param partBytes size of the parts that larger files are uploaded in, 5 MiB at least
 * @throws StrangeLocation
 */
export function createS3WarehouseFiles(
  location: string,
  client = new S3Client({}),
  partBytes = usualPart,
): WarehouseFiles {
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
      const upload = new Upload({
        client,
        params: { Bucket, Key: root + path, Body: createReadStream(filePath), ContentLength: size },
        partSize: choosePartSize(size, partBytes),
        queueSize: partsAtOnce,
      })
      await upload.done().catch(async (error: unknown) => {
        // By itself it aborts where a part fails, and not where the last call does. What cannot be aborted is left to the
        // bucket's lifecycle, and is not what went wrong.
        await Promise.allSettled([upload['markUploadAsAborted']()])
        throw error
      })
    },
    list,
    removeBelow: async (prefix) => removeAll((await list(prefix)).map(({ path }) => path)),
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
