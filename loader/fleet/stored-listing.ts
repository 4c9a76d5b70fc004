import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { gunzip, gzip } from 'node:zlib'
import type { StoredListing } from '../../core/loads/load-work.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { TableOfContents } from '../plans/table-of-contents.ts'

/**
 * Stores what a table of contents listed when its load began, so that all steps of the load see the same plans and files.
 * Lists that plans share are stored once, and shared again when read. Source: Node.js documentation, `v8.serialize`.
 */
export async function storeListing(loadId: string, toc: TableOfContents, work: LoadWork, listedAt: Date) {
  const { entity, lastUpdatedOn } = toc
  await work.putListing(loadId, { listedAt, entity, lastUpdatedOn }, await promisify(gzip)(serialize(toc)))
}

/** Reads a listing as it was stored. */
export async function readListing(loadId: string, listing: StoredListing, work: LoadWork): Promise<TableOfContents> {
  return deserialize(await promisify(gunzip)(await work.readListing(loadId, listing)))
}
