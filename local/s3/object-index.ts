import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Checksum } from './checksum.ts'

/** An object's description, stored beside its bytes. */
export interface StoredObject {
  readonly key: string
  readonly size: number
  /** MD5 of the bytes in hex; for a multipart object, the MD5 of its parts' MD5s, a hyphen and the number of parts. */
  readonly etag: string
  /** ISO 8601. */
  readonly lastModified: string
  readonly checksum: Checksum
  /** Name of the file with the bytes. */
  readonly file: string
}

/** The objects of each bucket, by key. */
export type ObjectIndex = Map<string, Map<string, StoredObject>>

const descriptionSuffix = '.json'

/** Names the file that describes an object; one per key. */
export function descriptionFile(key: string): string {
  return `${hashKey(key)}${descriptionSuffix}`
}

/** Names a file for an object's bytes. A key can have several while its object is being replaced. */
export function newBytesFile(key: string, unique: string): string {
  return `${hashKey(key)}.${unique}`
}

/**
 * Reads the index of a store: one folder per bucket, one description per object. Deletes files that no description
 * names, left by interrupted uploads or replaced objects.
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
  const describedFiles = new Set([...descriptions, ...objects.map(({ file }) => file)])
  for (const file of files) if (!describedFiles.has(file)) rmSync(join(bucketFolder, file))
  return new Map(objects.map((object) => [object.key, object]))
}

/** Reads a description. Only the store writes them, each atomically, so they have the expected shape. */
function parseDescription(text: string): StoredObject {
  return JSON.parse(text) as StoredObject
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
