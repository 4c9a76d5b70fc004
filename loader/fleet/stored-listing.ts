import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { gunzip, gzip } from 'node:zlib'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { TableOfContents } from '../plans/table-of-contents.ts'

/**
 * Stores the table of contents as it was when its load began, so that all steps of the load see the same plans and
 * files. Lists that plans share are stored once, and shared again when they are read. Source: Node.js documentation,
 * `v8.serialize`.
 */
export async function storeListing(loadId: string, toc: TableOfContents, work: LoadWork, listedAt: Date) {
  const { entity, lastUpdatedOn } = toc
  await work.putListing(loadId, { listedAt, entity, lastUpdatedOn }, await promisify(gzip)(serialize(toc)))
  return toc
}

/** Reads the stored table of contents of a load; undefined if it has none. */
export async function readListing(loadId: string, work: LoadWork): Promise<TableOfContents | undefined> {
  const listing = await work.findListing(loadId)
  return listing && deserialize(await promisify(gunzip)(await work.readListing(loadId, listing)))
}
