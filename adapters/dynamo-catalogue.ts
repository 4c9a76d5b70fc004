import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { DeleteCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CatalogueContent, CatalogueEntry } from '../core/catalogue-entry.ts'
import type { CatalogueAdmin } from '../core/ports.ts'
import { writeConditionally } from './conditional-write.ts'
import type { Item } from './dynamo-client.ts'
import { batchGet } from './dynamo-client.ts'

const fileSchema = v.object({
  source_id: v.string(),
  file_name: v.string(),
  prices: v.number(),
  skipped: v.number(),
  rates: v.number(),
  findings: v.record(v.string(), v.number()),
})

const contentEntries = {
  plan_ids: v.array(v.string()),
  source_ids: v.array(v.string()),
  last_updated_on: v.optional(v.string()),
  partial_load: v.boolean(),
  files: v.optional(v.array(fileSchema)),
  loaded_at: v.optional(v.string()),
}

const entrySchema = v.object({
  payer: v.string(),
  plan: v.string(),
  ...contentEntries,
  entry_version: v.string(),
  previous: v.optional(v.object({ ...contentEntries, replaced_at: v.string() })),
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

    remove: ({ payer, plan }, version) =>
      writeConditionally(() =>
        client.send(
          new DeleteCommand({
            TableName: table,
            Key: { payer, plan },
            ConditionExpression: 'entry_version = :version',
            ExpressionAttributeValues: { ':version': version },
          }),
        ),
      ),
  }
}

function writeEntry({ payer, plan, version, previous, ...content }: CatalogueEntry): Item {
  return {
    payer,
    plan,
    ...writeContent(content),
    entry_version: version,
    previous: previous && { ...writeContent(previous), replaced_at: previous.replacedAt },
  }
}

function writeContent({ planIds, sources, lastUpdatedOn, partial, files, loadedAt }: CatalogueContent): Item {
  return {
    plan_ids: planIds,
    source_ids: sources,
    last_updated_on: lastUpdatedOn,
    partial_load: partial,
    files: files?.map(({ sourceId, name, ...counts }) => ({ source_id: sourceId, file_name: name, ...counts })),
    loaded_at: loadedAt,
  }
}

function parseEntry(item: Item): CatalogueEntry {
  const { payer, plan, entry_version, previous, ...content } = v.parse(entrySchema, item)
  return {
    payer,
    plan,
    ...readContent(content),
    version: entry_version,
    ...(previous && { previous: { ...readContent(previous), replacedAt: previous.replaced_at } }),
  }
}

function readContent(item: Omit<v.InferOutput<typeof entrySchema>, 'payer' | 'plan' | 'entry_version' | 'previous'>) {
  const { plan_ids, source_ids, last_updated_on, partial_load, files, loaded_at } = item
  return {
    planIds: plan_ids,
    sources: source_ids,
    ...(last_updated_on !== undefined && { lastUpdatedOn: last_updated_on }),
    partial: partial_load,
    ...(files && {
      files: files.map(({ source_id, file_name, ...counts }) => ({ sourceId: source_id, name: file_name, ...counts })),
    }),
    ...(loaded_at !== undefined && { loadedAt: loaded_at }),
  }
}
