import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { ForcedRefreshes } from '../core/ports.ts'
import { forcedRefreshItem } from '../core/tables.ts'
import { writeConditionally } from './conditional-write.ts'

/** When a refresh was forced last, in an item of the jobs table (`forcedRefreshItem` in core/tables.ts). */
export function createDynamoForcedRefreshes(client: DynamoDBDocumentClient, table: string): ForcedRefreshes {
  return {
    claim: (at, lastBy) =>
      writeConditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: forcedRefreshItem,
            UpdateExpression: 'SET forced_at = :at',
            // A write that the SDK repeats, its answer lost, meets its own time: the caller waits a minute, that is all.
            ConditionExpression: 'attribute_not_exists(forced_at) OR forced_at <= :last',
            ExpressionAttributeValues: { ':at': at.toISOString(), ':last': lastBy.toISOString() },
          }),
        ),
      ),
  }
}
