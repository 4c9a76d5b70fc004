import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { gunzip, gzip } from 'node:zlib'
import type { StoredListing } from '../../core/loads/load-work.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { TableOfContents } from '../plans/table-of-contents.ts'

type Listed = Omit<TableOfContents, 'entity' | 'lastUpdatedOn'>

/**
 * Stores what a table of contents listed when its load began, so that all steps of the load see the same plans and files.
 * Lists that plans share are stored once, and shared again when read. Source: Node.js documentation, `v8.serialize`.
 */
export async function storeListing(
  loadId: string,
  { entity, lastUpdatedOn, ...listed }: TableOfContents,
  work: LoadWork,
  listedAt: Date,
): Promise<void> {
  const facts = {
    listedAt,
    ...(entity !== undefined && { entity }),
    ...(lastUpdatedOn !== undefined && { lastUpdatedOn }),
  }
  await work.putListing(loadId, facts, await promisify(gzip)(serialize(listed)))
}

/** Reads a listing as it was stored. */
export async function readListing(loadId: string, listing: StoredListing, work: LoadWork): Promise<TableOfContents> {
  const { entity, lastUpdatedOn } = listing
  const listed: Listed = deserialize(await promisify(gunzip)(await work.readListing(loadId, listing)))
  return { entity, lastUpdatedOn, ...listed }
}
