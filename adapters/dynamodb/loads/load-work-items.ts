import * as v from 'valibot'
import type { FileOutcome, Lease, LoadFile, OpenFile, StoredListing } from '../../../core/loads/load-work.ts'
import { queueKey } from '../../../core/loads/load-work.ts'
import type { LoadOrder } from '../../../schema/load-order.ts'
import { loadOrder } from '../../../schema/load-order.ts'
import { contentsKey } from '../../../schema/tables.ts'
import type { Item } from '../dynamo-client.ts'

/** The item formats of what the workers of a load share, in the contents table. No other file knows these attributes. */

const storedTime = v.pipe(
  v.string(),
  v.transform((text) => new Date(text)),
)

const orderItem = v.object({ load_order: v.pipe(v.string(), v.parseJson(), loadOrder) })

export const writeOrder = (loadId: string, order: LoadOrder): Item => ({
  ...contentsKey.loadOrder(loadId),
  load_order: JSON.stringify(order),
})

export const parseOrder = (item: Item): LoadOrder => v.parse(orderItem, item).load_order

const listingItem = v.object({
  listed_at: storedTime,
  entity: v.optional(v.string()),
  last_updated_on: v.optional(v.string()),
  parts: v.number(),
})

export const writeListing = (loadId: string, { listedAt, entity, lastUpdatedOn, parts }: StoredListing): Item => ({
  ...contentsKey.loadListing(loadId),
  listed_at: listedAt.toISOString(),
  entity,
  last_updated_on: lastUpdatedOn,
  parts,
})

export function parseListing(item: Item): StoredListing {
  const { listed_at, entity, last_updated_on, parts } = v.parse(listingItem, item)
  return {
    listedAt: listed_at,
    ...(entity !== undefined && { entity }),
    ...(last_updated_on !== undefined && { lastUpdatedOn: last_updated_on }),
    parts,
  }
}

const partItem = v.object({ packed: v.instance(Uint8Array) })

export const writePart = (loadId: string, part: number, packed: Uint8Array): Item => ({
  ...contentsKey.loadListingPart(loadId, part),
  packed,
})

export const parsePart = (item: Item): Uint8Array => v.parse(partItem, item).packed

const openItem = v.object({
  item: v.string(),
  file_identity: v.string(),
  file_location: v.string(),
  listed_at: storedTime,
  file_bytes: v.optional(v.number()),
  attempts: v.number(),
  lease_worker: v.optional(v.string()),
  lease_until: v.optional(storedTime),
})

export const writeOpen = (loadId: string, file: LoadFile): Item => ({
  ...contentsKey.openFile(loadId, queueKey(file)),
  file_identity: file.identity,
  file_location: file.location,
  listed_at: file.listedAt.toISOString(),
  file_bytes: file.bytes,
  attempts: 0,
})

export function parseOpen(stored: Item): OpenFile {
  const { item, file_identity, file_location, listed_at, file_bytes, attempts, lease_worker, lease_until } = v.parse(
    openItem,
    stored,
  )
  return {
    key: item,
    identity: file_identity,
    location: file_location,
    listedAt: listed_at,
    attempts,
    ...(file_bytes !== undefined && { bytes: file_bytes }),
    ...(lease_worker !== undefined &&
      lease_until !== undefined && {
        lease: { worker: lease_worker, until: lease_until },
      }),
  }
}

/** The values of a lease in expressions. */
export const leaseValues = ({ worker, until }: Lease): Item => ({ ':worker': worker, ':until': until.toISOString() })

const outcomeItem = v.variant('outcome', [
  v.object({
    outcome: v.literal('ready'),
    item: v.string(),
    source_id: v.string(),
    references_key: v.string(),
    findings: v.optional(v.array(v.object({ rule: v.string(), count: v.number(), examples: v.array(v.string()) }))),
    file_bytes: v.number(),
    prices: v.number(),
  }),
  v.object({ outcome: v.literal('refused'), item: v.string(), faulty_file: v.string(), fault: v.string() }),
])

export function writeOutcome(loadId: string, key: string, outcome: FileOutcome): Item {
  const item = contentsKey.fileOutcome(loadId, key)
  if (outcome.outcome === 'refused') {
    return { ...item, outcome: outcome.outcome, faulty_file: outcome.file, fault: outcome.fault }
  }
  const { sourceId, referencesKey, findings, bytes, prices } = outcome
  return {
    ...item,
    outcome: outcome.outcome,
    source_id: sourceId,
    references_key: referencesKey,
    findings,
    file_bytes: bytes,
    prices,
  }
}

/** The key of a file, and what has become of it. */
export function parseOutcome(stored: Item): readonly [key: string, outcome: FileOutcome] {
  const parsed = v.parse(outcomeItem, stored)
  if (parsed.outcome === 'refused') {
    return [parsed.item, { outcome: parsed.outcome, file: parsed.faulty_file, fault: parsed.fault }]
  }
  const { item, outcome, source_id, references_key, findings, file_bytes, prices } = parsed
  const facts = { sourceId: source_id, referencesKey: references_key, bytes: file_bytes, prices }
  return [item, { outcome, ...facts, ...(findings !== undefined && { findings }) }]
}
