import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { GetObjectCommand, NoSuchKey, S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { bulkRequests } from '../request-limits.ts'
import { requireFields } from '../require-fields.ts'
import { FileDiffers, haveSameBytes } from './compare-bytes.ts'
import { parseLocation } from './ranges/warehouse-location.ts'
import { listPages, removeObjects } from './s3-prefix.ts'

/** Files of a warehouse in a bucket, addressed by paths relative to its root. */
export interface WarehouseFiles {
  /**
   * Uploads a local file of any size. It is streamed and appears only when complete. The client's retries apply; if
   * they are exhausted, the upload leaves neither a file nor parts of one. An upload never replaces a file: that it is
   * there with the same bytes counts as success, because a retry may follow a request whose answer was lost.
   *
   * @throws FileDiffers if there is a file with other bytes
   */
  upload(path: string, filePath: string): Promise<void>
  exists(path: string): Promise<boolean>
  /** All files whose paths begin with `prefix`, in the order of their paths. */
  list(prefix: string): Promise<readonly WarehouseFile[]>
  /** Deletes all files whose paths begin with `prefix`. */
  removeBelow(prefix: string): Promise<void>
}

export interface WarehouseFile {
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: Date
}

/** Maximum number of parts of an upload. Source: Amazon S3 User Guide, "Amazon S3 multipart upload limits". */
const maxParts = 10_000

/** Parts of one upload held in memory at a time. */
const partsAtOnce = 4

/** Default part size: four parts take 64 MiB of memory, and files of up to 156 GiB need no larger parts. */
const defaultPartBytes = 16 * 1024 ** 2

/**
 * Chooses a part size in bytes such that the file fits into the maximum number of parts.
 *
 * @param fileBytes size of the whole file
 * @param smallest part size to use unless the file needs larger parts
 */
export function choosePartSize(fileBytes: number, smallest = defaultPartBytes): number {
  return Math.max(smallest, Math.ceil(fileBytes / maxParts))
}

/**
 * Stores the files of a warehouse in S3.
 *
 * @param location `s3://bucket/` or `s3://bucket/prefix/`
 * @param partBytes size of the parts of large uploads, at least 5 MiB
 * @throws PrintableError if it is none
 */
export function createS3WarehouseFiles(
  location: string,
  // A file that took hours to read must outlast a burst of throttling.
  client = new S3Client({ ...bulkRequests, maxAttempts: 10 }),
  partBytes = defaultPartBytes,
): WarehouseFiles {
  const { Bucket, root } = parseLocation(location)

  async function list(prefix: string): Promise<readonly WarehouseFile[]> {
    const files: WarehouseFile[] = []
    for await (const page of listPages(client, Bucket, root + prefix)) {
      for (const object of page) {
        requireFields(object, ['Key', 'Size', 'LastModified'], 'S3')
        files.push({ path: object.Key.slice(root.length), bytes: object.Size, modifiedAt: object.LastModified })
      }
    }
    return files
  }

  async function create(Key: string, filePath: string): Promise<void> {
    const { size } = await stat(filePath)
    const upload = new Upload({
      client,
      params: { Bucket, Key, Body: createReadStream(filePath), ContentLength: size, IfNoneMatch: '*' },
      partSize: choosePartSize(size, partBytes),
      queueSize: partsAtOnce,
    })
    await upload.done().catch(async (error: unknown) => {
      // `Upload` aborts when a part fails, but not when the final CompleteMultipartUpload does. If aborting fails
      // too, report the original error; the bucket's lifecycle removes the parts.
      await Promise.allSettled([upload['markUploadAsAborted']()])
      throw error
    })
  }

  /** @throws FileDiffers, or the fault if there is no object */
  async function requireStored(Key: string, filePath: string, fault: unknown): Promise<void> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key })).catch((error: unknown) => {
      throw error instanceof NoSuchKey ? fault : error
    })
    if (!(Body instanceof Readable) || !(await haveSameBytes(Body, createReadStream(filePath))))
      throw new FileDiffers(`s3://${Bucket}/${Key}`)
  }

  return {
    upload: async (path, filePath) => {
      const key = root + path
      await create(key, filePath).catch((error: unknown) => {
        if (mayBeDone(error)) return requireStored(key, filePath, error)
        throw error
      })
    },
    // By a list, because a step of a load that only plans may not read objects.
    exists: async (path) => (await list(path)).some((file) => file.path === path),
    list,

    removeBelow: (prefix) => removeObjects(client, Bucket, root + prefix),
  }
}

/**
 * True for the error of an upload that may have succeeded: its answer was lost, and the client has repeated it.
 * Source: Amazon S3 API Reference, PutObject, `If-None-Match`, and CompleteMultipartUpload, `NoSuchUpload`.
 */
const mayBeDone = (error: unknown): boolean =>
  error instanceof S3ServiceException && ['PreconditionFailed', 'NoSuchUpload'].includes(error.name)
