import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { ForcedRefreshes } from '../../../core/own-relation/ports.ts'
import { forcedRefreshItem } from '../../../schema/tables.ts'
import { tableWrites } from '../table-writes.ts'

/** Stores the time of the last forced refresh in the jobs table (`forcedRefreshItem` in schema/tables.ts). */
export function createDynamoForcedRefreshes(client: DynamoDBDocumentClient, table: string): ForcedRefreshes {
  const { setIf } = tableWrites(client, table)
  return {
    // If the SDK retries a write whose response was lost, its own time fails the condition. The caller then only waits a
    // minute.
    claim: (at, lastBy) =>
      setIf(forcedRefreshItem, { forcedAt: at }, 'attribute_not_exists(forced_at) OR forced_at <= :last', {
        last: lastBy,
      }),
  }
}
