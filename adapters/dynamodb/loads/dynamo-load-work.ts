import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { fileKey } from '../../../core/loads/load-work.ts'
import type { LoadWork } from '../../../core/loads/ports.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { type Item, queryBelow, readItems } from '../dynamo-client.ts'
import { readFields, splitBytes, writeFields } from '../stored-fields.ts'
import { type Conditional, tableWrites } from '../table-writes.ts'
import {
  listingItem,
  orderItem,
  parseOpen,
  parseOutcome,
  partItem,
  writeOpen,
  writeOutcome,
} from './load-work-items.ts'

/** Open files per page: the leased ones come first, and there are as many of them as workers. */
const openPage = 100

/** Maximum number of concurrent deletions. */
const deletionsAtOnce = 25

const ownLease = (worker: string): Conditional => ({
  condition: 'lease_worker = :worker',
  values: { ':worker': worker },
})

/** An open file without a lease at `:now`. */
const isFree = 'attribute_exists(file_identity) AND (attribute_not_exists(lease_until) OR lease_until < :now)'

/** Stores what the workers of a load share, in the contents table. */
export function createDynamoLoadWork(client: DynamoDBDocumentClient, table: string): LoadWork {
  const { put, remove, putIf, setIf, updateIf, updateAndReadIf, deleteIf } = tableWrites(client, table)
  const readOne = async (key: Item) => (await readItems(client, table, [key]))[0]

  return {
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
      const read: Uint8Array[] = []
      for (let part = 0; part < parts; part++) {
        const item = await readOne(contentsKey.loadListingPart(loadId, part))
        if (item === undefined) throw new TypeError(`the listing of the load ${loadId} lacks its part ${part}`)
        read.push(v.parse(partItem, item).packed)
      }
      return Buffer.concat(read)
    },

    open: async (loadId, file) => {
      await putIf(writeOpen(loadId, file), { condition: 'attribute_not_exists(file_identity)' })
    },
    async *listOpen(loadId) {
      const open = queryBelow(client, table, contentsKey.openFile(loadId, ''), { Limit: openPage })
      for await (const item of open) yield parseOpen(item)
    },
    readOpen: async (loadId, key) => {
      const item = await readOne(contentsKey.openFile(loadId, key))
      return item && parseOpen(item)
    },
    claim: async (loadId, key, lease, now) => {
      const item = await updateAndReadIf(
        contentsKey.openFile(loadId, key),
        'SET lease_worker = :worker, lease_until = :until, attempts = attempts + :one',
        {
          condition: isFree,
          values: {
            ':worker': lease.worker,
            ':until': lease.until.toISOString(),
            ':now': now.toISOString(),
            ':one': 1,
          },
        },
      )
      return item && parseOpen(item)
    },
    renew: (loadId, key, lease) =>
      setIf(contentsKey.openFile(loadId, key), { leaseUntil: lease.until }, ownLease(lease.worker)),
    giveBack: (loadId, key, worker) =>
      updateIf(contentsKey.openFile(loadId, key), 'SET attempts = attempts - :one REMOVE lease_worker, lease_until', {
        condition: ownLease(worker).condition,
        values: { ...ownLease(worker).values, ':one': 1 },
      }),
    forgetAttempts: (loadId, key, now) =>
      setIf(
        contentsKey.openFile(loadId, key),
        { attempts: 0 },
        { condition: isFree, values: { ':now': now.toISOString() } },
      ),
    relocate: (loadId, key, location, listedAt) =>
      setIf(
        contentsKey.openFile(loadId, key),
        { fileLocation: location, listedAt },
        { condition: 'attribute_exists(file_identity)' },
      ),
    close: (loadId, key, worker) => deleteIf(contentsKey.openFile(loadId, key), ownLease(worker)),

    record: (loadId, identity, outcome) =>
      putIf(writeOutcome(loadId, fileKey(identity), outcome), {
        condition: 'attribute_not_exists(outcome) OR outcome = :refused',
        values: { ':refused': 'refused' },
      }),
    readOutcomes: async (loadId) =>
      new Map(await Array.fromAsync(queryBelow(client, table, contentsKey.fileOutcome(loadId, '')), parseOutcome)),
    forget: (loadId, identity, sourceId) =>
      deleteIf(contentsKey.fileOutcome(loadId, fileKey(identity)), {
        condition: 'source_id = :source',
        values: { ':source': sourceId },
      }),

    takeTask: (loadId, task, lease, now) =>
      setIf(
        contentsKey.loadTask(loadId, task),
        { leaseWorker: lease.worker, leaseUntil: lease.until },
        {
          condition: 'attribute_not_exists(lease_until) OR lease_until < :now OR lease_worker = :lease_worker',
          values: { ':now': now.toISOString() },
        },
      ),
    dropTask: (loadId, task, worker) => deleteIf(contentsKey.loadTask(loadId, task), ownLease(worker)),

    remove: async (loadId) => {
      const groups = [
        contentsKey.openFile(loadId, ''),
        contentsKey.fileOutcome(loadId, ''),
        { ...contentsKey.loadOrder(loadId), item: '' },
      ]
      for (const group of groups) {
        const items = await Array.fromAsync(queryBelow(client, table, group))
        await workAtOnce(items, deletionsAtOnce, ({ owner, item }) => remove({ owner, item }))
      }
    },
  }
}
