import * as v from 'valibot'
import { type FileOutcome, type LoadFile, type OpenFile, queueKey } from '../../../core/loads/load-work.ts'
import { loadOrder } from '../../../schema/load-order.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { type Item, readFields, storedTime, writeFields } from '../stored-fields.ts'

/** Formats of the items that a load's workers share in the contents table. No other file knows these attributes. */

export const orderItem = v.object({ load_order: v.pipe(v.string(), v.parseJson(), loadOrder) })

export const listingItem = v.object({
  listed_at: storedTime,
  entity: v.exactOptional(v.string()),
  last_updated_on: v.exactOptional(v.string()),
  parts: v.number(),
})

export const partItem = v.object({ packed: v.instance(Uint8Array) })

const openItem = v.object({
  item: v.string(),
  file_identity: v.string(),
  file_location: v.string(),
  listed_at: storedTime,
  file_bytes: v.exactOptional(v.number()),
  place: v.exactOptional(v.number()),
  attempts: v.number(),
  lease_worker: v.exactOptional(v.string()),
  lease_until: v.exactOptional(storedTime),
})

export const writeOpen = (loadId: string, file: LoadFile): Item => {
  const { identity: fileIdentity, location: fileLocation, bytes: fileBytes, listedAt, position } = file
  const fields = { fileIdentity, fileLocation, fileBytes, listedAt, place: position, attempts: 0 }
  return { ...contentsKey.openFile(loadId, queueKey(file)), ...writeFields(fields) }
}

export function parseOpen(stored: Item): OpenFile {
  const { item: key, ...fields } = readFields(v.parse(openItem, stored))
  const {
    fileIdentity: identity,
    fileLocation: location,
    fileBytes: bytes,
    leaseWorker,
    leaseUntil,
    place: position,
    ...others
  } = fields
  const isLeased = leaseWorker !== undefined && leaseUntil !== undefined
  return {
    ...others,
    key,
    identity,
    location,
    ...(bytes !== undefined && { bytes }),
    ...(position !== undefined && { position }),
    ...(isLeased && { lease: { worker: leaseWorker, until: leaseUntil } }),
  }
}

const outcomeItem = v.variant('outcome', [
  v.object({
    outcome: v.literal('ready'),
    item: v.string(),
    source_id: v.string(),
    references_key: v.string(),
    findings: v.exactOptional(
      v.array(v.object({ rule: v.string(), count: v.number(), examples: v.array(v.string()) })),
    ),
    file_bytes: v.number(),
    prices: v.number(),
  }),
  v.object({ outcome: v.literal('refused'), item: v.string(), faulty_file: v.string(), fault: v.string() }),
])

export function writeOutcome(loadId: string, key: string, outcome: FileOutcome): Item {
  const item = contentsKey.fileOutcome(loadId, key)
  if (outcome.outcome === 'refused') {
    const { file: faultyFile, ...refused } = outcome
    return { ...item, ...writeFields({ faultyFile, ...refused }) }
  }
  const { bytes: fileBytes, ...ready } = outcome
  return { ...item, ...writeFields({ fileBytes, ...ready }) }
}

/** The key of a file, and what has become of it. */
export function parseOutcome(stored: Item): readonly [key: string, outcome: FileOutcome] {
  const { item, ...fields } = readFields(v.parse(outcomeItem, stored))
  if (fields.outcome === 'refused') {
    const { faultyFile: file, ...refused } = fields
    return [item, { file, ...refused }]
  }
  const { fileBytes: bytes, ...ready } = fields
  return [item, { bytes, ...ready }]
}
