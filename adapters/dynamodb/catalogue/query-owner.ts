import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { type Item, queryItems } from '../dynamo-client.ts'

/**
 * Reads the items of an owner in the contents table (`contentsKey` in schema/tables.ts), with strong consistency.
 *
 * @param prefix how the names of the items begin @default - all items
 */
export function queryOwner(
  client: DynamoDBDocumentClient,
  table: string,
  owner: string,
  prefix?: string,
): Promise<readonly Item[]> {
  const isAll = prefix === undefined
  const items = queryItems(client, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: isAll ? '#owner = :owner' : '#owner = :owner AND begins_with(#item, :prefix)',
    ExpressionAttributeNames: { '#owner': 'owner', ...(!isAll && { '#item': 'item' }) },
    ExpressionAttributeValues: { ':owner': owner, ...(!isAll && { ':prefix': prefix }) },
  })
  return Array.fromAsync(items)
}
