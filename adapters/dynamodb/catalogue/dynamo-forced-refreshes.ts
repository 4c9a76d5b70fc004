import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { ForcedRefreshes } from '../../../core/ports.ts'
import { forcedRefreshItem } from '../../../schema/tables.ts'
import { writeConditionally } from '../conditional-write.ts'

/** Stores the time of the last forced refresh in the jobs table (`forcedRefreshItem` in schema/tables.ts). */
export function createDynamoForcedRefreshes(client: DynamoDBDocumentClient, table: string): ForcedRefreshes {
  return {
    claim: (at, lastBy) =>
      writeConditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: forcedRefreshItem,
            UpdateExpression: 'SET forced_at = :at',
            // If the SDK retries a write whose response was lost, its own time fails the condition. The caller then
            // only waits a minute.
            ConditionExpression: 'attribute_not_exists(forced_at) OR forced_at <= :last',
            ExpressionAttributeValues: { ':at': at.toISOString(), ':last': lastBy.toISOString() },
          }),
        ),
      ),
  }
}
