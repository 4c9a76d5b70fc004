import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { JobHolders } from '../../core/job/ports.ts'
import type { EstimateUsages, UsageReviews, Usages } from '../../core/limits/ports.ts'
import { intervalOf, microsOf, type SlotClaim, type Usage, unused, windowMicros } from '../../core/limits/usage.ts'
import { jobItem, unendedIndex, usageMark } from '../../schema/tables.ts'
import { type Item, readItems } from './dynamo-client.ts'
import { jobKeyItem, parseJobHolder } from './jobs/job-items.ts'
import { type Conditional, tableWrites } from './table-writes.ts'

/** The stored form of usages: two items an organization in the jobs table, one in the index while it may hold slots. */

const usageSchema = v.object({ slots: v.optional(v.record(v.string(), v.number()), {}), tat: v.number() })

const reviewSchema = v.object({ org_id: v.string() })

export function usageKeyItem(orgId: string): Item {
  return { org_id: orgId, item: jobItem.usage }
}

function estimatesKeyItem(orgId: string): Item {
  return { org_id: orgId, item: jobItem.estimates }
}

/** Parses the item found under such a key; undefined: the organization has used nothing. */
export function parseUsage(item: Item | undefined): Usage {
  if (item === undefined) return unused
  const { slots, tat } = v.parse(usageSchema, item)
  return {
    slots: new Map(Object.entries(slots).map(([jobId, takenAt]) => [jobId, new Date(takenAt)])),
    arrivalTime: tat,
  }
}

interface Take extends Conditional {
  readonly change: string
  readonly values: Item
}

/** Stores usages in DynamoDB (`jobsTable` in schema/tables.ts). */
export function createDynamoUsages(
  client: DynamoDBDocumentClient,
  TableName: string,
): Usages & UsageReviews & JobHolders {
  const { read, update } = openItems(client, TableName, usageKeyItem)
  return {
    read,

    take: (claim, seen) => update(claim.orgId, describeTake(claim, seen)),

    free: async ({ orgId, jobId }, takenBy) => {
      await update(orgId, {
        change: 'REMOVE slots.#job',
        condition: 'slots.#job <= :by',
        names: { '#job': jobId },
        values: { ':by': takenBy.getTime() },
      })
    },

    list: async (reviewedBy, limit) => {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: unendedIndex.name,
          KeyConditionExpression: `${unendedIndex.partitionKey} = :mark AND ${unendedIndex.sortKey} <= :by`,
          ExpressionAttributeValues: { ':mark': usageMark, ':by': reviewedBy.toISOString() },
          Limit: limit,
        }),
      )
      return Items.map((item) => v.parse(reviewSchema, item).org_id)
    },

    noteReview: async (orgId, at) => {
      const empty = await update(orgId, {
        change: `REMOVE ${unendedIndex.partitionKey}, ${unendedIndex.sortKey}`,
        condition: 'size(slots) = :none',
        values: { ':none': 0 },
      })
      if (empty === 'written') return
      await update(orgId, {
        change: `SET ${unendedIndex.sortKey} = :at`,
        condition: 'size(slots) > :none',
        values: { ':none': 0, ':at': at.toISOString() },
      })
    },

    readHolders: async (keys) => (await readItems(client, TableName, keys.map(jobKeyItem))).map(parseJobHolder),
  }
}

/** Stores what estimates use, in the same table. */
export function createDynamoEstimateUsages(client: DynamoDBDocumentClient, TableName: string): EstimateUsages {
  const { read, update } = openItems(client, TableName, estimatesKeyItem)
  return {
    read,
    take: ({ orgId, at, limits }, { arrivalTime }) => {
      const { change, ...rate } = describeShare(microsOf(at), intervalOf(limits), arrivalTime)
      return update(orgId, { change: `SET ${change}`, ...rate })
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
    update: (orgId: string, { change, ...conditional }: Take) => updateIf(keyOf(orgId), change, conditional),
  }
}

/** Puts the item into the index, unless it is there. */
const enterIndex = `${unendedIndex.partitionKey} = :mark, ${unendedIndex.sortKey} = if_not_exists(${unendedIndex.sortKey}, :review)`

/**
 * Describes the write that takes a slot. What was read chooses its form; its condition holds both limits to what is
 * stored when it is carried out.
 */
function describeTake({ jobId, at, limits }: SlotClaim, { slots, arrivalTime }: Usage): Take {
  const now = microsOf(at)
  const interval = intervalOf(limits)
  const values = { ':at': at.getTime(), ':mark': usageMark, ':review': at.toISOString() }
  const names = { '#job': jobId }
  if (slots.has(jobId)) {
    const change = `SET slots.#job = :at, ${enterIndex}`
    return { change, condition: 'attribute_exists(slots.#job)', names, values }
  }
  if (arrivalTime === 0) {
    const { ':at': takenAt, ...marks } = values
    return {
      change: `SET slots = :slots, tat = :next, ${enterIndex}`,
      condition: 'attribute_not_exists(org_id)',
      values: { ...marks, ':slots': { [jobId]: takenAt }, ':next': now + interval },
    }
  }
  const free = 'attribute_not_exists(slots.#job) AND size(slots) < :max'
  const rate = describeShare(now, interval, arrivalTime)
  return {
    change: `SET slots.#job = :at, ${rate.change}, ${enterIndex}`,
    condition: `${free} AND ${rate.condition}`,
    names,
    values: { ...values, ...rate.values, ':max': limits.searches },
  }
}

/** Describes the write that takes a share of the rate; the times are in microseconds. */
function describeShare(now: number, interval: number, arrivalTime: number): Take {
  if (arrivalTime > now)
    return {
      change: 'tat = tat + :interval',
      condition: 'tat > :now AND tat <= :latest',
      values: { ':interval': interval, ':now': now, ':latest': now + windowMicros - interval },
    }
  const condition = '(attribute_not_exists(tat) OR tat <= :now)'
  return { change: 'tat = :next', condition, values: { ':now': now, ':next': now + interval } }
}
