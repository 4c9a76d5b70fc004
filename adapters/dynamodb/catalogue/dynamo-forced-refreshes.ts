import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { ForcedRefreshes } from '../../../core/own-relation/ports.ts'
import { forcedRefreshItem } from '../../../schema/tables.ts'
import { tableWrites } from '../table-writes.ts'

/** Stores the time of the last forced refresh in the jobs table (`forcedRefreshItem` in schema/tables.ts). */
export function createDynamoForcedRefreshes(client: DynamoDBDocumentClient, table: string): ForcedRefreshes {
  const { setIf } = tableWrites(client, table)
  return {
    // If the SDK retries a write whose response was lost, the retry fails on the time that the first write stored. The
    // caller then only waits a minute.
    claim: (at, lastBy) =>
      setIf(forcedRefreshItem, {
        fields: { forcedAt: at },
        condition: 'attribute_not_exists(forced_at) OR forced_at <= :last',
        values: { last: lastBy },
      }),
  }
}
