import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { JobHolders } from '../../core/job/ports.ts'
import type { RateUsages, UsageReviews, Usages } from '../../core/limits/ports.ts'
import {
  type Claim,
  type Counted,
  intervalOf,
  microsOf,
  type SlotClaim,
  type Usage,
  unused,
  windowMicros,
} from '../../core/limits/usage.ts'
import { jobItem, unendedIndex, usagePartition } from '../../schema/tables.ts'
import { queryIndex, readItems, takeItems } from './dynamo-client.ts'
import { jobKeyItem, parseJobHolder } from './jobs/job-items.ts'
import type { Item } from './stored-fields.ts'
import { tableWrites } from './table-writes.ts'

/**
 * The stored form of usages. The jobs table has an item for each organization and rate: of searches, estimates and
 * dear reads. While the organization may hold slots, the item of searches is also in the index of unended jobs.
 */

const usageSchema = v.object({ slots: v.optional(v.record(v.string(), v.number()), {}), tat: v.number() })

const reviewSchema = v.object({ org_id: v.string() })

export function usageKeyItem(orgId: string): Item {
  return { org_id: orgId, item: jobItem.usage }
}

/** Parses an item of usage; without an item, the organization has used nothing. */
export function parseUsage(item: Item | undefined): Usage {
  if (item === undefined) return unused
  const { slots, tat } = v.parse(usageSchema, item)
  return {
    slots: new Map(Object.entries(slots).map(([jobId, takenAt]) => [jobId, new Date(takenAt)])),
    arrivalTime: tat,
  }
}

/** The expressions of a write. */
interface Expressions {
  readonly change: string
  readonly condition: string
}

/** Stores usages in DynamoDB (`jobsTable` in schema/tables.ts). */
export function createDynamoUsages(
  client: DynamoDBDocumentClient,
  TableName: string,
): Usages & UsageReviews & JobHolders {
  const { read, update } = openItems(client, TableName, usageKeyItem)
  return {
    counted: 'searches',

    read,

    take: (claim, usage) => {
      const { orgId, jobId, at, limits } = claim
      const takenAt = at.getTime()
      const slot = { '#job': jobId, at: takenAt, slots: { [jobId]: takenAt }, max: limits.searches }
      return update(orgId, describeTake(claim, usage), {
        ...slot,
        ...shareValuesOf(claim),
        partition: usagePartition,
        review: at,
      })
    },

    free: async ({ orgId, jobId }, takenBy) => {
      const free = { change: 'REMOVE slots.#job', condition: 'slots.#job <= :by' }
      await update(orgId, free, { '#job': jobId, by: takenBy.getTime() })
    },

    list: async (reviewedBy, limit) => {
      const values = { unended: usagePartition, by: reviewedBy }
      const condition = '#unended = :unended AND #touched_at <= :by'
      const page = { Limit: limit }
      const items = queryIndex(client, { table: TableName, index: unendedIndex, condition, values, page })
      return (await takeItems(items, limit)).map((item) => v.parse(reviewSchema, item).org_id)
    },

    noteReview: async (orgId, at) => {
      const leave = { change: 'REMOVE #unended, #touched_at', condition: 'size(slots) = :none' }
      if ((await update(orgId, leave, { none: 0 })) === 'written') return
      await update(orgId, { change: 'SET #touched_at = :at', condition: 'size(slots) > :none' }, { none: 0, at })
    },

    readHolders: async (keys) => (await readItems(client, TableName, keys.map(jobKeyItem))).map(parseJobHolder),
  }
}

/** Stores what estimates or dear reads use, in the same table. */
export function createDynamoRateUsages(
  client: DynamoDBDocumentClient,
  TableName: string,
  counted: Exclude<Counted, 'searches'>,
): RateUsages {
  const { read, update } = openItems(client, TableName, (orgId) => ({ org_id: orgId, item: jobItem[counted] }))
  return {
    counted,

    read,

    take: (claim, usage) => {
      const { change, condition } = describeShare(claim, usage)
      return update(claim.orgId, { change: `SET ${change}`, condition }, shareValuesOf(claim))
    },
  }
}

/** Reads and changes one item of each organization. */
function openItems(client: DynamoDBDocumentClient, TableName: string, keyOf: (orgId: string) => Item) {
  const { updateIf } = tableWrites(client, TableName)
  return {
    read: async (orgId: string) => {
      const [item] = await readItems(client, TableName, [keyOf(orgId)])
      return parseUsage(item)
    },
    update: (orgId: string, { change, condition }: Expressions, values: object) =>
      updateIf(keyOf(orgId), { change, condition, values }),
  }
}

/** Puts the item into the index, unless it is there. */
const enterIndex = '#unended = :partition, #touched_at = if_not_exists(#touched_at, :review)'

/**
 * Describes the write that takes a slot. Its form depends on the usage as it was last read; its condition compares both
 * limits with the usage that is stored when DynamoDB executes the write.
 */
function describeTake(claim: SlotClaim, usage: Usage): Expressions {
  if (usage.slots.has(claim.jobId))
    return { change: `SET slots.#job = :at, ${enterIndex}`, condition: 'attribute_exists(slots.#job)' }
  if (usage.arrivalTime === 0)
    return { change: `SET slots = :slots, tat = :next, ${enterIndex}`, condition: 'attribute_not_exists(org_id)' }
  const { change, condition } = describeShare(claim, usage)
  return {
    change: `SET slots.#job = :at, ${change}, ${enterIndex}`,
    condition: `attribute_not_exists(slots.#job) AND size(slots) < :max AND ${condition}`,
  }
}

/** Describes the write that takes a share of the rate. */
function describeShare({ at }: Claim, { arrivalTime }: Usage): Expressions {
  return arrivalTime > microsOf(at)
    ? { change: 'tat = tat + :interval', condition: 'tat > :now AND tat <= :latest' }
    : { change: 'tat = :next', condition: '(attribute_not_exists(tat) OR tat <= :now)' }
}

/** Returns the values in the expressions of a share, in microseconds. */
function shareValuesOf({ at, limits }: Claim) {
  const [now, interval] = [microsOf(at), intervalOf(limits)]
  return { now, interval, next: now + interval, latest: now + windowMicros - interval }
}
