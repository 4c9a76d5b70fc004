import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Checksum } from './checksum.ts'

/** What is kept beside an object's bytes. */
export interface StoredObject {
  readonly key: string
  readonly size: number
  /** MD5 of the bytes in hex; of an object that came in parts, that of their MD5s, a hyphen and their number. */
  readonly etag: string
  /** ISO 8601. */
  readonly lastModified: string
  /** Headers that every answer repeats: content type, disposition, `x-amz-meta-…`. */
  readonly headers: Readonly<Record<string, string>>
  readonly checksum: Checksum
  /** Name of the file with the bytes. */
  readonly file: string
}

/** The objects of each bucket, by key. */
export type ObjectIndex = Map<string, Map<string, StoredObject>>

const descriptionSuffix = '.json'

/** The file that describes an object; there is one for a key. */
export function descriptionFile(key: string): string {
  return `${hashKey(key)}${descriptionSuffix}`
}

/** A file for an object's bytes; there may be several for a key while it is being replaced. */
export function newBytesFile(key: string, unique: string): string {
  return `${hashKey(key)}.${unique}`
}

/**
 * Reads the index of a store: a folder a bucket, a description an object. Files that no description names are of uploads
 * that did not end, or of objects that were replaced: they are deleted.
 */
export function readBuckets(folder: string): ObjectIndex {
  mkdirSync(folder, { recursive: true })
  const buckets = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return new Map(buckets.map(({ name }) => [name, readObjects(join(folder, name))]))
}

function readObjects(bucketFolder: string): Map<string, StoredObject> {
  const files = readdirSync(bucketFolder)
  const descriptions = files.filter((file) => file.endsWith(descriptionSuffix))
  const objects = descriptions.map((file) => parseDescription(readFileSync(join(bucketFolder, file), 'utf8')))
  const named = new Set([...descriptions, ...objects.map(({ file }) => file)])
  for (const file of files) if (!named.has(file)) rmSync(join(bucketFolder, file))
  return new Map(objects.map((object) => [object.key, object]))
}

/** Descriptions are written whole by the store alone, so they have the shape that it gave them. */
function parseDescription(text: string): StoredObject {
  return JSON.parse(text) as StoredObject
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
