import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { readItems } from '../dynamo-client.ts'

const daysSchema = v.object({ months: v.number(), former_first: v.string(), changed_at: v.string() })

type KeptDaysStore = Pick<CatalogueAdmin, 'readKeptDays' | 'writeKeptDays'>

/** Stores in the contents table which days searches can name. */
export function createDynamoKeptDays(client: DynamoDBDocumentClient, table: string): KeptDaysStore {
  return {
    readKeptDays: async () => {
      const [item] = await readItems(client, table, [contentsKey.keptDays])
      if (item === undefined) return undefined
      const { months, former_first: formerFirst, changed_at } = v.parse(daysSchema, item)
      return { months, formerFirst, changedAt: new Date(changed_at) }
    },
    writeKeptDays: async ({ months, formerFirst, changedAt }) => {
      const days = { months, former_first: formerFirst, changed_at: changedAt.toISOString() }
      await client.send(new PutCommand({ TableName: table, Item: { ...contentsKey.keptDays, ...days } }))
    },
  }
}
