import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AwsRefusal } from '../aws-refusal.ts'
import { startChecksum } from './checksum.ts'
import { type ObjectStore, openBytes } from './object-store.ts'

/** A folder whose files can be read as the objects of a bucket. */
export interface ShownFolder {
  readonly bucket: string
  readonly folder: string
}

/**
 * Adds a bucket with the files of a folder, by their paths. Others write them, so they are neither listed nor replaced
 * here.
 */
export function showFolder(store: ObjectStore, { bucket, folder }: ShownFolder): ObjectStore {
  const pathOf = (key: string) => join(folder, ...key.split('/'))
  const isInside = (key: string) => key.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  return {
    ...store,
    hasBucket: (name) => name === bucket || store.hasBucket(name),
    async put(object) {
      if (object.bucket === bucket) throw new AwsRefusal(403, 'AccessDenied', 'Access Denied')
      return store.put(object)
    },
    find(name, key) {
      if (name !== bucket) return store.find(name, key)
      const facts = isInside(key) ? statSync(pathOf(key), { throwIfNoEntry: false }) : undefined
      if (!facts?.isFile()) return undefined
      const lastModified = facts.mtime.toISOString()
      // A file of the warehouse never changes.
      const etag = createHash('md5').update(`${key} ${facts.size} ${lastModified}`).digest('hex')
      return {
        key,
        size: facts.size,
        etag,
        lastModified,
        file: key,
        // Only a read of the whole file asks for it.
        get checksum() {
          const running = startChecksum('crc32')
          running.update(readFileSync(pathOf(key)))
          return { algorithm: 'crc32' as const, value: running.digest() }
        },
      }
    },
    read(name, object, range) {
      if (name !== bucket) return store.read(name, object, range)
      return openBytes(pathOf(object.key), range)
    },
  }
}
