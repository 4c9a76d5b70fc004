import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow, readItems, scanItems, takeItems } from '../dynamo-client.ts'
import { readFields, storedTime, writeFields } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'
import { parseEntry, writeEntry } from './catalogue-items.ts'
import { createDynamoWordIndex } from './dynamo-word-index.ts'

/** An entry of this version, or none if it is undefined. */
const isVersion = (version: string | undefined) =>
  version === undefined ? 'attribute_not_exists(payer)' : 'entry_version = :version'

/** The setting of the days that searches can name in `as_of`. */
const daysSchema = v.object({ months: v.number(), former_first: v.string(), changed_at: storedTime })

const keySchema = v.object({ payer: v.string(), plan: v.string() })

/**
 * Stores fee schedules in DynamoDB (`catalogueTable` in schema/tables.ts), and in `contentsTable` the days that
 * searches can name and the index of words.
 */
export function createDynamoCatalogue(
  client: DynamoDBDocumentClient,
  table: string,
  contentsTable: string,
): CatalogueAdmin {
  const { putIf, deleteIf } = tableWrites(client, table)
  return {
    ...createDynamoWordIndex(client, contentsTable),

    find: async (feeSchedules) => {
      const keys = feeSchedules.map(({ payer, plan }) => ({ payer, plan }))
      return (await readItems(client, table, keys)).map(parseEntry)
    },

    list: async ({ payer, limit, after }) => {
      // One more than requested, to know whether there is a next page: DynamoDB also returns a key after the last item.
      const page = { Limit: limit + 1, ...(after && { ExclusiveStartKey: { payer: after.payer, plan: after.plan } }) }
      const storedItems =
        payer === undefined
          ? scanItems(client, { TableName: table, ConsistentRead: true, ...page })
          : queryBelow(client, table, { payer }, page)
      const entries = (await takeItems(storedItems, limit + 1)).map(parseEntry)
      const items = entries.slice(0, limit)
      return { items, ...(entries.length > limit && { next: v.parse(keySchema, items.at(-1)) }) }
    },

    listVariants: async ({ payer, plan }, limit = Number.POSITIVE_INFINITY, after) => {
      const namesakes = await readItems(client, table, [{ payer, plan }])
      const variants: CatalogueEntry[] = []
      const page = {
        ...(Number.isFinite(limit) && { Limit: limit }),
        ...(after !== undefined && { ExclusiveStartKey: { payer, plan: after } }),
      }
      for await (const item of queryBelow(client, table, { payer, plan: `${plan} (` }, page)) {
        const entry = parseEntry(item)
        // A name with the same prefix may belong to another plan.
        if (entry.variantOf === plan) variants.push(entry)
        if (variants.length >= limit) break
      }
      return [...namesakes.map(parseEntry), ...variants]
    },

    readKeptDays: async () => {
      const [item] = await readItems(client, contentsTable, [contentsKey.keptDays])
      return item && readFields(v.parse(daysSchema, item))
    },

    writeKeptDays: async (days) => {
      await tableWrites(client, contentsTable).put({ ...contentsKey.keptDays, ...writeFields(days) })
    },

    replace: (entry, replacedVersion) =>
      putIf(writeEntry(entry), isVersion(replacedVersion), { version: replacedVersion }),

    remove: ({ payer, plan }, version) => deleteIf({ payer, plan }, isVersion(version), { version }),
  }
}
