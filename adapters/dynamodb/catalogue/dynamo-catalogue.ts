import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { DeleteCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import { writeConditionally } from '../conditional-write.ts'
import type { Item } from '../dynamo-client.ts'
import { readItems } from '../dynamo-client.ts'
import { nameIndexes, parseEntry, writeEntry, writeNameKey, writeNameKeys } from './catalogue-items.ts'

const keySchema = v.object({ payer: v.string(), plan: v.string() })

interface PageInput {
  readonly Limit: number | undefined
  readonly ExclusiveStartKey: Item | undefined
}

/** Reads at most `limit` items, page by page. */
async function readPages(
  read: (page: PageInput) => Promise<{ Items?: Item[] | undefined; LastEvaluatedKey?: Item | undefined }>,
  limit: number,
  after?: FeeSchedule,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let start: Item | undefined = after && { payer: after.payer, plan: after.plan }
  do {
    const left = limit - items.length
    const { Items = [], LastEvaluatedKey } = await read({
      Limit: Number.isFinite(left) ? left : undefined,
      ExclusiveStartKey: start,
    })
    items.push(...Items)
    start = LastEvaluatedKey
  } while (start !== undefined && items.length < limit)
  return items
}

/** Stores fee schedules in DynamoDB (`catalogueTable` in schema/tables.ts). */
export function createDynamoCatalogue(client: DynamoDBDocumentClient, table: string): CatalogueAdmin {
  const ofPayer = (payer: string) => ({
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'payer = :payer',
    ExpressionAttributeValues: { ':payer': payer },
  })
  return {
    find: async (feeSchedules) => {
      const keys = feeSchedules.map(({ payer, plan }) => ({ payer, plan }))
      return (await readItems(client, table, keys)).map(parseEntry)
    },

    list: async ({ payer, limit, after }) => {
      const command =
        payer === undefined
          ? (page: PageInput) => client.send(new ScanCommand({ TableName: table, ConsistentRead: true, ...page }))
          : (page: PageInput) => client.send(new QueryCommand({ ...ofPayer(payer), ...page }))
      // One more than requested, to know whether there is a next page: DynamoDB also returns a key after the last item.
      const entries = (await readPages(command, limit + 1, after)).map(parseEntry)
      const items = entries.slice(0, limit)
      return { items, ...(entries.length > limit && { next: v.parse(keySchema, items.at(-1)) }) }
    },

    listVariants: async ({ payer, plan }, limit = Number.POSITIVE_INFINITY, after) => {
      const named = await readItems(client, table, [{ payer, plan }])
      const read = (page: PageInput) =>
        client.send(
          new QueryCommand({
            TableName: table,
            ConsistentRead: true,
            KeyConditionExpression: 'payer = :payer AND begins_with(#plan, :prefix)',
            ExpressionAttributeNames: { '#plan': 'plan' },
            ExpressionAttributeValues: { ':payer': payer, ':prefix': `${plan} (` },
            ...page,
          }),
        )
      const variants: CatalogueEntry[] = []
      let start = after === undefined ? undefined : { payer, plan: after }
      for (;;) {
        const entries = (await readPages(read, limit, start)).map(parseEntry)
        // A name with the same prefix may belong to another plan.
        variants.push(...entries.filter((entry) => entry.variantOf === plan))
        start = entries.at(-1)
        if (entries.length < limit || variants.length >= limit) break
      }
      return [...named.map(parseEntry), ...variants.slice(0, limit)]
    },

    listNames: async ({ by, prefix, limit, after }) => {
      const { name, partitionKey, sortKey } = nameIndexes[by]
      const beginning = writeNameKey(by, prefix)
      const found: FeeSchedule[] = []
      let start: Item | undefined = after && { payer: after.payer, plan: after.plan, ...writeNameKeys(after)[by] }
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName: table,
            IndexName: name,
            KeyConditionExpression: `${partitionKey} = :initial AND begins_with(${sortKey}, :prefix)`,
            ExpressionAttributeValues: { ':initial': beginning[partitionKey], ':prefix': beginning[sortKey] },
            Limit: limit + 1 - found.length,
            ...(start && { ExclusiveStartKey: start }),
          }),
        )
        found.push(...Items.map((item) => v.parse(keySchema, item)))
        start = LastEvaluatedKey
      } while (start !== undefined && found.length <= limit)
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return { items, ...(found.length > limit && last && { next: last }) }
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
