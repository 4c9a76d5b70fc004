import { randomUUID } from 'node:crypto'
import { createReadStream, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AwsRefusal } from '../aws-refusal.ts'
import { type Checksum, startHash } from './checksum.ts'
import { descriptionFile, newBytesFile, readBuckets, type StoredObject } from './object-index.ts'
import type { ByteRange } from './range.ts'

/** An object to store. */
export interface NewObject {
  readonly bucket: string
  readonly key: string
  readonly body: AsyncIterable<Buffer>
  /** @default - the MD5 of the bytes in hex */
  readonly etag?: string
  /** Called after the body has been read. */
  readonly checksum: () => Checksum
  readonly lastModified: Date
  /** True to refuse an object whose key is taken. @default - it replaces that object */
  readonly isCreation?: boolean
}

/** Returns the refusal of a request whose condition on the stored object does not hold. */
export const failedCondition = (): AwsRefusal =>
  new AwsRefusal(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')

export type ObjectStore = ReturnType<typeof openObjectStore>

/**
 * Opens the buckets and objects of a folder, and removes files that interrupted uploads left behind. Only one process
 * may use it: the index is read once and then kept in memory.
 *
 * An object's bytes and its description are separate files, named by a hash of the key so that `..`, `a` beside `a/b`,
 * upper case and length do not matter. An object changes only by the atomic rename of its description, so a killed
 * process leaves the old object or the new one.
 *
 * @throws Error if a description cannot be read
 */
export function openObjectStore(folder: string) {
  const buckets = readBuckets(folder)
  const objectsOf = (bucket: string) => buckets.get(bucket) ?? new Map<string, StoredObject>()
  const pathOf = (bucket: string, file: string) => join(folder, bucket, file)
  const find = (bucket: string, key: string) => objectsOf(bucket).get(key)

  /** Has no `await` between disk and memory, so that concurrent uploads of a key leave the same object in both. */
  function publish(object: NewObject, stored: StoredObject): StoredObject {
    const { bucket, key } = object
    const previous = find(bucket, key)
    if (previous !== undefined && object.isCreation === true) throw failedCondition()
    const draft = pathOf(bucket, `${stored.file}.draft`)
    try {
      writeFileSync(draft, JSON.stringify(stored))
      renameSync(draft, pathOf(bucket, descriptionFile(key)))
    } finally {
      rmSync(draft, { force: true })
    }
    objectsOf(bucket).set(key, stored)
    if (previous !== undefined) rmSync(pathOf(bucket, previous.file), { force: true })
    return stored
  }

  return {
    hasBucket: (bucket: string): boolean => buckets.has(bucket),
    createBucket(bucket: string): void {
      mkdirSync(join(folder, bucket), { recursive: true })
      if (!buckets.has(bucket)) buckets.set(bucket, new Map())
    },
    /** Stores an object atomically: concurrent readers get the whole old object or the whole new one. */
    async put(object: NewObject): Promise<StoredObject> {
      const { bucket, key } = object
      const file = newBytesFile(key, randomUUID())
      try {
        const bytes = await writeBytes(object.body, pathOf(bucket, file))
        return publish(object, describe(object, file, bytes))
      } finally {
        // If the upload failed or was already superseded, its file is unused.
        if (find(bucket, key)?.file !== file) rmSync(pathOf(bucket, file), { force: true })
      }
    },
    find,
    /** The objects of a bucket, unordered. */
    list: (bucket: string): StoredObject[] => [...objectsOf(bucket).values()],
    read: (bucket: string, object: StoredObject, range?: ByteRange): Readable =>
      openBytes(pathOf(bucket, object.file), range),
    /** Deletes an object; a no-op if it does not exist. */
    remove(bucket: string, key: string): void {
      const object = find(bucket, key)
      if (object === undefined) return
      rmSync(pathOf(bucket, descriptionFile(key)), { force: true })
      objectsOf(bucket).delete(key)
      rmSync(pathOf(bucket, object.file), { force: true })
    },
  }
}

/** Opens a file at once, so that its bytes can be read to the end even if it is replaced or deleted meanwhile. */
export const openBytes = (path: string, range?: ByteRange): Readable =>
  createReadStream(path, { fd: openSync(path, 'r'), ...range })

/**
 * Writes a new file and measures its size and MD5 on the way. If the body fails, the caller removes the file, which is
 * opened first: a write stream that opened it later could create it after the removal.
 */
export async function writeBytes(
  body: AsyncIterable<Buffer>,
  path: string,
): Promise<Pick<StoredObject, 'size' | 'etag'>> {
  const md5 = startHash('md5', 'hex')
  let size = 0
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      md5.update(piece)
      size += piece.length
      yield piece
    }
  }
  const file = await open(path, 'wx')
  await pipeline(measured, file.createWriteStream())
  return { size, etag: md5.digest() }
}

function describe(
  { key, checksum, lastModified, etag }: NewObject,
  file: string,
  bytes: Pick<StoredObject, 'size' | 'etag'>,
): StoredObject {
  return {
    key,
    ...bytes,
    ...(etag !== undefined && { etag }),
    lastModified: lastModified.toISOString(),
    checksum: checksum(),
    file,
  }
}
