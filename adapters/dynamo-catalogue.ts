import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CatalogueEntry } from '../core/catalogue-entry.ts'
import type { CatalogueAdmin } from '../core/ports.ts'
import { writeConditionally } from './conditional-write.ts'
import type { Item } from './dynamo-client.ts'
import { batchGet } from './dynamo-client.ts'

const entrySchema = v.object({
  payer: v.string(),
  plan: v.string(),
  plan_ids: v.array(v.string()),
  source_ids: v.array(v.string()),
  last_updated_on: v.optional(v.string()),
  partial_load: v.boolean(),
  entry_version: v.string(),
})

const keySchema = v.object({ payer: v.string(), plan: v.string() })

/** Most keys of one BatchGetItem. Source: DynamoDB API, BatchGetItem. */
const batchSize = 100

/** Fee schedules in DynamoDB (`catalogueTable` in core/tables.ts). */
export function createDynamoCatalogue(client: DynamoDBDocumentClient, table: string): CatalogueAdmin {
  return {
    find: async (feeSchedules) => {
      const entries: CatalogueEntry[] = []
      for (let start = 0; start < feeSchedules.length; start += batchSize) {
        const keys = feeSchedules.slice(start, start + batchSize).map(({ payer, plan }) => ({ payer, plan }))
        const found = await batchGet(client, { [table]: keys })
        entries.push(...(found[table] ?? []).map(parseEntry))
      }
      return entries
    },

    list: async ({ payer, limit, after }) => {
      // One more than asked for tells whether there is a next page; DynamoDB's own mark also stands after the last item.
      const items: Item[] = []
      let start: Item | undefined = after && { ...after }
      do {
        const page = { TableName: table, Limit: limit + 1 - items.length, ExclusiveStartKey: start }
        const { Items = [], LastEvaluatedKey } = await (payer === undefined
          ? client.send(new ScanCommand(page))
          : client.send(
              new QueryCommand({
                ...page,
                KeyConditionExpression: 'payer = :payer',
                ExpressionAttributeValues: { ':payer': payer },
              }),
            ))
        items.push(...Items)
        start = LastEvaluatedKey
      } while (start !== undefined && items.length <= limit)
      const entries = items.slice(0, limit).map(parseEntry)
      return { items: entries, ...(items.length > limit && { next: v.parse(keySchema, entries.at(-1)) }) }
    },

    replace: (entry, replacedVersion) =>
      writeConditionally(() =>
        client.send(
          new PutCommand({
            TableName: table,
            Item: writeEntry(entry),
            ...(replacedVersion === undefined
              ? { ConditionExpression: 'attribute_not_exists(payer)' }
              : {
                  ConditionExpression: 'entry_version = :replaced',
                  ExpressionAttributeValues: { ':replaced': replacedVersion },
                }),
          }),
        ),
      ),
  }
}

function writeEntry({ payer, plan, planIds, sources, lastUpdatedOn, partial, version }: CatalogueEntry): Item {
  return {
    payer,
    plan,
    plan_ids: planIds,
    source_ids: sources,
    last_updated_on: lastUpdatedOn,
    partial_load: partial,
    entry_version: version,
  }
}

function parseEntry(item: Item): CatalogueEntry {
  const { payer, plan, plan_ids, source_ids, last_updated_on, partial_load, entry_version } = v.parse(entrySchema, item)
  const entry = { payer, plan, planIds: plan_ids, sources: source_ids, partial: partial_load, version: entry_version }
  return last_updated_on === undefined ? entry : { ...entry, lastUpdatedOn: last_updated_on }
}
