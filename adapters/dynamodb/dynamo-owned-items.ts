import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { OwnedItems } from '../../core/access/ports.ts'
import { jobItem, unendedIndex } from '../../schema/tables.ts'
import { queryBelow } from './dynamo-client.ts'
import { tableWrites } from './table-writes.ts'

/** A job is in the index of unended jobs until its end is announced. */
const owned = v.object({ item: v.string(), [unendedIndex.partitionKey]: v.optional(v.string()) })

/** All items of organizations in a table that is partitioned by them. */
export function createDynamoOwnedItems(client: DynamoDBDocumentClient, TableName: string): OwnedItems {
  return {
    list: async (orgId) => {
      return Array.fromAsync(queryBelow(client, TableName, { org_id: orgId }), (each) => {
        const { item, unended } = v.parse(owned, each)
        return { item, isUnended: unended !== undefined && item.startsWith(jobItem.job('')) }
      })
    },
    remove: (orgId, items) =>
      tableWrites(client, TableName).removeAll(items.map(({ item }) => ({ org_id: orgId, item }))),
  }
}
