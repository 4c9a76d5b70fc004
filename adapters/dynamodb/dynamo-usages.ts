import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { JobHolders, UsageReviews, Usages } from '../../core/limits/ports.ts'
import type { SlotClaim, Usage } from '../../core/limits/usage.ts'
import { intervalOf, microsOf, unused, windowMicros } from '../../core/limits/usage.ts'
import { jobItem, unendedIndex, usageMark } from '../../schema/tables.ts'
import { writeConditionally } from './conditional-write.ts'
import type { Item } from './dynamo-client.ts'
import { readItems } from './dynamo-client.ts'
import { jobKeyItem, parseJobHolder } from './jobs/job-items.ts'

/** The stored form of usages: an item an organization in the jobs table, in the index while it may hold slots. */

const usageSchema = v.object({ slots: v.record(v.string(), v.number()), tat: v.number() })

const reviewSchema = v.object({ org_id: v.string() })

export function usageKeyItem(orgId: string): Item {
  return { org_id: orgId, item: jobItem.usage }
}

/** Parses the item found under `usageKeyItem`; undefined: the organization has created nothing. */
export function parseUsage(item: Item | undefined): Usage {
  if (item === undefined) return unused
  const { slots, tat } = v.parse(usageSchema, item)
  return {
    slots: new Map(Object.entries(slots).map(([jobId, takenAt]) => [jobId, new Date(takenAt)])),
    arrivalTime: tat,
  }
}

interface Take {
  readonly change: string
  readonly condition: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Item
}

/** Stores usages in DynamoDB (`jobsTable` in schema/tables.ts). */
export function createDynamoUsages(
  client: DynamoDBDocumentClient,
  TableName: string,
): Usages & UsageReviews & JobHolders {
  const update = (orgId: string, { change, condition, names, values }: Take) =>
    writeConditionally(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: usageKeyItem(orgId),
          UpdateExpression: change,
          ConditionExpression: condition,
          ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
          ExpressionAttributeValues: values,
        }),
      ),
    )
  return {
    read: async (orgId) => {
      const [item] = await readItems(client, TableName, [usageKeyItem(orgId)])
      return parseUsage(item)
    },

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
        names: {},
        values: { ':none': 0 },
      })
      if (empty === 'written') return
      await update(orgId, {
        change: `SET ${unendedIndex.sortKey} = :at`,
        condition: 'size(slots) > :none',
        names: {},
        values: { ':none': 0, ':at': at.toISOString() },
      })
    },

    readHolders: async (keys) => (await readItems(client, TableName, keys.map(jobKeyItem))).map(parseJobHolder),
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
      names: {},
      values: { ...marks, ':slots': { [jobId]: takenAt }, ':next': now + interval },
    }
  }
  const free = 'attribute_not_exists(slots.#job) AND size(slots) < :max'
  const rate =
    arrivalTime > now
      ? {
          change: 'tat = tat + :interval',
          condition: 'tat > :now AND tat <= :latest',
          values: { ':interval': interval, ':now': now, ':latest': now + windowMicros - interval },
        }
      : { change: 'tat = :next', condition: 'tat <= :now', values: { ':now': now, ':next': now + interval } }
  return {
    change: `SET slots.#job = :at, ${rate.change}, ${enterIndex}`,
    condition: `${free} AND ${rate.condition}`,
    names,
    values: { ...values, ...rate.values, ':max': limits.searches },
  }
}
