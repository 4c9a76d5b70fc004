import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { CatalogueAdmin } from '../../../core/catalogue/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { readItems } from '../dynamo-client.ts'
import { readFields, storedTime, writeFields } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'

const daysSchema = v.object({ months: v.number(), former_first: v.string(), changed_at: storedTime })

type KeptDaysStore = Pick<CatalogueAdmin, 'readKeptDays' | 'writeKeptDays'>

/** Stores in the contents table which days searches can name. */
export function createDynamoKeptDays(client: DynamoDBDocumentClient, table: string): KeptDaysStore {
  return {
    readKeptDays: async () => {
      const [item] = await readItems(client, table, [contentsKey.keptDays])
      return item && readFields(v.parse(daysSchema, item))
    },
    writeKeptDays: async (days) => {
      await tableWrites(client, table).put({ ...contentsKey.keptDays, ...writeFields(days) })
    },
  }
}
