import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { ListFaults } from '../../core/search/ports.ts'
import { listFaultItem } from '../../schema/tables.ts'
import { readItems } from './dynamo-client.ts'
import { storedTime } from './stored-fields.ts'
import { tableWrites } from './table-writes.ts'

const faultSchema = v.object({ found_at: storedTime })

/** Stores when lists of files did not work in the jobs table (`listFaultItem` in schema/tables.ts). */
export function createDynamoListFaults(client: DynamoDBDocumentClient, table: string): ListFaults {
  const { setIf } = tableWrites(client, table)
  return {
    read: async () => {
      const [item] = await readItems(client, table, [listFaultItem])
      return item && v.parse(faultSchema, item).found_at
    },

    note: (foundAt, before) =>
      setIf(listFaultItem, {
        fields: { foundAt },
        condition: 'attribute_not_exists(found_at) OR found_at <= :before',
        values: { before },
      }),
  }
}
