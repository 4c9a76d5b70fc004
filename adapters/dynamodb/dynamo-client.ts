import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type {
  BatchGetCommandInput,
  BatchGetCommandOutput,
  QueryCommandInput,
  ScanCommandInput,
} from '@aws-sdk/lib-dynamodb'
import { BatchGetCommand, DynamoDBDocumentClient, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb'
import { chunk } from '../../core/chunk.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import type { IndexSchema } from '../../schema/tables.ts'
import { bulkRequests, type RequestLimits, shortRequests } from '../request-limits.ts'
import { express, type Item } from './stored-fields.ts'

/**
 * Settings of a client that writes whole catalogues. A payer's entries share a partition, to which DynamoDB accepts
 * 1,000 writes a second, so the client slows down to that rate. Source: AWS SDKs and Tools Reference Guide, "Retry
 * behavior"; DynamoDB developer guide, "Burst and adaptive capacity".
 */
export const patientSettings = { ...bulkRequests, maxAttempts: 10, retryMode: 'adaptive' } as const

/**
 * Connects to DynamoDB. Region and credentials come from the SDK's defaults.
 *
 * @param settings @default - short requests, and the retries of the SDK
 */
export function connectDynamo(
  settings: RequestLimits & Pick<DynamoDBClientConfig, 'maxAttempts' | 'retryMode'> = shortRequests,
): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(settings), { marshallOptions: { removeUndefinedValues: true } })
}

/** Backoff between reads of keys that DynamoDB left unprocessed, in milliseconds. */
const unprocessedWaits = [20, 50, 100, 200, 400]

/**
 * Reads items by key with strong consistency, in one round trip unless DynamoDB leaves keys unprocessed.
 *
 * @throws DynamoUnavailable if keys stay unprocessed: an unread item must never look like a missing one
 */
export async function batchGet(
  client: DynamoDBDocumentClient,
  keysByTable: Readonly<Record<string, readonly Item[]>>,
): Promise<Readonly<Record<string, readonly Item[]>>> {
  const items: Record<string, Item[]> = {}
  let requested: BatchGetCommandInput['RequestItems'] = Object.fromEntries(
    Object.entries(keysByTable).map(([table, keys]) => [table, { Keys: [...keys], ConsistentRead: true }]),
  )
  for (const wait of [...unprocessedWaits, undefined]) {
    const { Responses = {}, UnprocessedKeys = {} }: BatchGetCommandOutput = await client.send(
      new BatchGetCommand({ RequestItems: requested }),
    )
    for (const [table, answered] of Object.entries(Responses)) items[table] = [...(items[table] ?? []), ...answered]
    if (Object.keys(UnprocessedKeys).length === 0) return items
    requested = UnprocessedKeys
    if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait))
  }
  throw new DynamoUnavailable('keys stayed unprocessed')
}

/** Maximum number of keys per BatchGetItem. Source: DynamoDB API, BatchGetItem. */
const maxKeys = 100

/** Maximum number of concurrent reads. */
const readsAtOnce = 8

/**
 * Reads any number of items of one table, with strong consistency within each hundred.
 *
 * @param keys without duplicates
 * @returns the items that exist, in no particular order
 * @throws DynamoUnavailable as `batchGet`
 */
export async function readItems(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Item[],
): Promise<readonly Item[]> {
  const items: Item[] = []
  await workAtOnce(chunk(keys, maxKeys), readsAtOnce, async (batch) => {
    items.push(...((await batchGet(client, { [table]: batch }))[table] ?? []))
  })
  return items
}

/** Queries page by page, as far as the caller reads. */
export async function* queryItems(client: DynamoDBDocumentClient, input: QueryCommandInput): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateQuery({ client }, input)) yield* Items
}

export interface IndexQuery {
  readonly table: string
  readonly index: IndexSchema
  /** Condition on the index's partition key and sort key, which names them as `express` does. */
  readonly condition: string
  /** Values of the placeholders in the condition. */
  readonly values: object
  /** @default - all items, in ascending order */
  readonly page?: Pick<QueryCommandInput, 'Limit' | 'ExclusiveStartKey' | 'ScanIndexForward'>
}

/** Queries an index, page by page. */
export const queryIndex = (
  client: DynamoDBDocumentClient,
  { table, index, condition, values, page = {} }: IndexQuery,
): AsyncGenerator<Item> =>
  queryItems(client, {
    TableName: table,
    IndexName: index.name,
    KeyConditionExpression: condition,
    ...express([condition], values),
    ...page,
  })

/**
 * Queries with strong consistency.
 *
 * @param key the value of the partition key, then the prefix of the sort key's value; all items if it is absent or
 *   empty
 */
export function queryBelow(
  client: DynamoDBDocumentClient,
  TableName: string,
  key: Readonly<Record<string, string>>,
  page: Pick<QueryCommandInput, 'Limit' | 'ExclusiveStartKey'> = {},
): AsyncGenerator<Item> {
  const [partition, sort] = Object.keys(key).filter((name, index) => index === 0 || key[name] !== '')
  const condition =
    sort === undefined
      ? `#${partition} = :${partition}`
      : `#${partition} = :${partition} AND begins_with(#${sort}, :${sort})`
  return queryItems(client, {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: condition,
    ...express([condition], key),
    ...page,
  })
}

/** Scans page by page, as far as the caller reads. */
export async function* scanItems(client: DynamoDBDocumentClient, input: ScanCommandInput): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateScan({ client }, input)) yield* Items
}

/** Scans a table for all items with this sort key, with strong consistency. */
export function scanFor(client: DynamoDBDocumentClient, TableName: string, item: string): AsyncGenerator<Item> {
  return scanItems(client, {
    TableName,
    ConsistentRead: true,
    FilterExpression: '#item = :item',
    ...express(['#item = :item'], { item }),
  })
}

/** Reads the first items, at most `limit` (1 or more). */
export async function takeItems(items: AsyncIterable<Item>, limit: number): Promise<readonly Item[]> {
  const first: Item[] = []
  for await (const item of items) {
    first.push(item)
    if (first.length === limit) break
  }
  return first
}

/** DynamoDB could not complete a request within its retries. */
export class DynamoUnavailable extends Error {
  override readonly name = 'DynamoUnavailable'
}
