import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { endOfDay, type KeyDay } from '../../core/limits/byte-usage.ts'
import type { ByteUsages } from '../../core/limits/ports.ts'
import { addSeconds } from '../../core/time.ts'
import { jobItem } from '../../schema/tables.ts'
import { readItems } from './dynamo-client.ts'
import { createDynamoRateUsages, createDynamoUsages } from './dynamo-usages.ts'
import { epochSeconds, type Item } from './stored-fields.ts'
import { tableWrites } from './table-writes.ts'

const usageItem = v.object({ bytes: v.number() })

const keyItemOf = ({ orgId, keyId, day }: KeyDay): Item => ({ org_id: orgId, item: jobItem.bytes(keyId, day) })

/** Seconds for which an item is kept after its day, so that operators see the use of a day that has just ended. */
const keptSeconds = 86_400

/** Stores the bytes of keys in DynamoDB (`jobsTable` in schema/tables.ts), one item for each key and day. */
export function createDynamoByteUsages(client: DynamoDBDocumentClient, TableName: string): ByteUsages {
  const { updateIf } = tableWrites(client, TableName)
  return {
    read: async (keyDay) => {
      const [item] = await readItems(client, TableName, [keyItemOf(keyDay)])
      return item === undefined ? 0 : v.parse(usageItem, item).bytes
    },

    take: async (claim, limit) => {
      const { bytes, day } = claim
      // The condition compares with a stored number, and the first claim of a day finds none.
      if (bytes > limit) return 'superseded'
      return updateIf(keyItemOf(claim), {
        change: 'SET #bytes = if_not_exists(#bytes, :none) + :bytes, #expires_at = :expires_at',
        condition: 'attribute_not_exists(#bytes) OR #bytes <= :room',
        values: {
          none: 0,
          bytes,
          room: limit - bytes,
          expiresAt: epochSeconds(addSeconds(endOfDay(day), keptSeconds)),
        },
      })
    },

    giveBack: async (claim) => {
      const { bytes } = claim
      await updateIf(keyItemOf(claim), {
        change: 'SET #bytes = #bytes - :bytes',
        condition: '#bytes >= :bytes',
        values: { bytes },
      })
    },
  }
}

/** Stores the usage of limits by new searches: of the organization's limits, by their estimates too, and of bytes. */
export const createDynamoSearchUsages = (client: DynamoDBDocumentClient, table: string) => ({
  usages: createDynamoUsages(client, table),
  estimateUsages: createDynamoRateUsages(client, table, 'estimates'),
  byteUsages: createDynamoByteUsages(client, table),
})
