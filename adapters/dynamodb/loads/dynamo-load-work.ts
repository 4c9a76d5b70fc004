import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { fileKey } from '../../../core/loads/load-work.ts'
import type { LoadWork } from '../../../core/loads/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow, readItems } from '../dynamo-client.ts'
import { type Item, readFields, splitBytes, writeFields } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'
import {
  listingItem,
  orderItem,
  parseOpen,
  parseOutcome,
  partItem,
  writeOpen,
  writeOutcome,
} from './load-work-items.ts'

/** Open files per page. Leased files come first, so a page should be larger than the number of workers. */
const openPage = 100

/** A file or task that `:worker` has leased. */
const hasLease = 'lease_worker = :worker'

/** An open file without a lease at `:now`. */
const isFree = 'attribute_exists(file_identity) AND (attribute_not_exists(lease_until) OR lease_until < :now)'

/** Stores the state that a load's workers share, in the contents table. */
export function createDynamoLoadWork(client: DynamoDBDocumentClient, table: string): LoadWork {
  const { put, putIf, setIf, deleteIf, removeBelow } = tableWrites(client, table)
  const readOne = async (key: Item) => (await readItems(client, table, [key]))[0]

  return {
    ...createOpenFiles(client, table),

    putOrder: async (loadId, order) => {
      await put({ ...contentsKey.loadOrder(loadId), load_order: JSON.stringify(order) })
    },
    readOrder: async (loadId) => {
      const item = await readOne(contentsKey.loadOrder(loadId))
      return item && v.parse(orderItem, item).load_order
    },

    putListing: async (loadId, listing, bytes) => {
      const parts = splitBytes(bytes)
      for (const [part, packed] of parts.entries()) await put({ ...contentsKey.loadListingPart(loadId, part), packed })
      await put({ ...contentsKey.loadListing(loadId), ...writeFields({ ...listing, parts: parts.length }) })
    },
    findListing: async (loadId) => {
      const item = await readOne(contentsKey.loadListing(loadId))
      return item && readFields(v.parse(listingItem, item))
    },
    readListing: async (loadId, { parts }) => {
      const packedParts: Uint8Array[] = []
      for (let part = 0; part < parts; part++) {
        const item = await readOne(contentsKey.loadListingPart(loadId, part))
        if (item === undefined) throw new TypeError(`the listing of the load ${loadId} lacks its part ${part}`)
        packedParts.push(v.parse(partItem, item).packed)
      }
      return Buffer.concat(packedParts)
    },

    record: (loadId, identity, outcome) =>
      putIf(writeOutcome(loadId, fileKey(identity), outcome), 'attribute_not_exists(outcome) OR outcome = :refused', {
        refused: 'refused',
      }),
    readOutcomes: async (loadId) =>
      new Map(await Array.fromAsync(queryBelow(client, table, contentsKey.fileOutcome(loadId, '')), parseOutcome)),
    forget: (loadId, identity, sourceId) =>
      deleteIf(contentsKey.fileOutcome(loadId, fileKey(identity)), 'source_id = :source_id', { sourceId }),

    takeTask: (loadId, task, lease, now) =>
      setIf(contentsKey.loadTask(loadId, task), {
        fields: { leaseWorker: lease.worker, leaseUntil: lease.until },
        condition: 'attribute_not_exists(lease_until) OR lease_until < :now OR lease_worker = :lease_worker',
        values: { now },
      }),
    dropTask: (loadId, task, worker) => deleteIf(contentsKey.loadTask(loadId, task), hasLease, { worker }),

    remove: async (loadId) => {
      const groups = [
        contentsKey.openFile(loadId, ''),
        contentsKey.fileOutcome(loadId, ''),
        { ...contentsKey.loadOrder(loadId), item: '' },
      ]
      for (const group of groups) await removeBelow(group)
    },
  }
}

type OpenFileCalls =
  | 'open'
  | 'listOpen'
  | 'readOpen'
  | 'lease'
  | 'renew'
  | 'giveBack'
  | 'forgetAttempts'
  | 'relocate'
  | 'close'

/** Stores the queue of files that a load is to read. */
function createOpenFiles(client: DynamoDBDocumentClient, table: string): Pick<LoadWork, OpenFileCalls> {
  const { putIf, setIf, updateIf, updateAndReadIf, deleteIf } = tableWrites(client, table)
  return {
    open: async (loadId, file) => {
      await putIf(writeOpen(loadId, file), 'attribute_not_exists(file_identity)')
    },
    async *listOpen(loadId) {
      const open = queryBelow(client, table, contentsKey.openFile(loadId, ''), { Limit: openPage })
      for await (const item of open) yield parseOpen(item)
    },
    readOpen: async (loadId, key) => {
      const [item] = await readItems(client, table, [contentsKey.openFile(loadId, key)])
      return item && parseOpen(item)
    },
    lease: async (loadId, key, lease, now) => {
      const change = 'SET lease_worker = :worker, lease_until = :until, attempts = attempts + :one'
      const item = await updateAndReadIf(contentsKey.openFile(loadId, key), {
        change,
        condition: isFree,
        values: { ...lease, now, one: 1 },
      })
      return item && parseOpen(item)
    },
    renew: (loadId, key, lease) =>
      setIf(contentsKey.openFile(loadId, key), {
        fields: { leaseUntil: lease.until },
        condition: hasLease,
        values: lease,
      }),
    giveBack: (loadId, key, worker) => {
      const change = 'SET attempts = attempts - :one REMOVE lease_worker, lease_until'
      return updateIf(contentsKey.openFile(loadId, key), {
        change,
        condition: hasLease,
        values: { worker, one: 1 },
      })
    },
    forgetAttempts: (loadId, key, now) =>
      setIf(contentsKey.openFile(loadId, key), { fields: { attempts: 0 }, condition: isFree, values: { now } }),
    relocate: (loadId, key, location, listedAt) =>
      setIf(contentsKey.openFile(loadId, key), {
        fields: { fileLocation: location, listedAt },
        condition: 'attribute_exists(file_identity)',
      }),
    close: (loadId, key, worker) => deleteIf(contentsKey.openFile(loadId, key), hasLease, { worker }),
  }
}
