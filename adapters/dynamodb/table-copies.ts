import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import {
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb'
import { workAtOnce } from '../../core/work-at-once.ts'
import { requireFields } from '../require-fields.ts'
import { patientSettings } from './dynamo-client.ts'
import { writeConditionally } from './table-writes.ts'

/** A table, as far as another can be copied into it. */
export interface TableForm {
  readonly isActive: boolean
  /** Key attributes, partition key first, then the names of indexes: each of the service's tables has others. */
  readonly names: readonly string[]
}

/**
 * Items of a table that another lacks, items that it has, maybe with other attributes, and items that it must not get.
 */
export interface CopyCounts {
  readonly lacking: number
  readonly there: number
  readonly leftOut: number
}

/** A copy of one table's items to another. */
export interface TableCopy {
  readonly from: string
  readonly to: string
  /** Key attributes of both tables, partition key first. */
  readonly keys: readonly [string, string]
  readonly isDryRun: boolean
  /** Tells whether an item may be copied. @default - all may */
  readonly mayCopy?: ((item: Record<string, AttributeValue>) => Promise<boolean>) | undefined
}

/**
 * Maximum number of concurrent writes: a new table takes 4,000 a second. Source: DynamoDB developer guide, "On-demand
 * capacity".
 */
const writesAtOnce = 32

/** Connects for copies: items are not converted to JavaScript's numbers and back. */
export const connectForCopies = () => new DynamoDBClient(patientSettings)

/** Describes a table; undefined if there is none. */
export async function describeForm(client: DynamoDBClient, table: string): Promise<TableForm | undefined> {
  try {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: table }))
    const { TableStatus, KeySchema = [], GlobalSecondaryIndexes = [] } = Table
    const indexes = GlobalSecondaryIndexes.map((index) => {
      requireFields(index, ['IndexName'], 'DynamoDB')
      return index.IndexName
    }).sort()
    const attributes = KeySchema.map((key) => {
      requireFields(key, ['AttributeName'], 'DynamoDB')
      return key.AttributeName
    })
    return {
      isActive: TableStatus === 'ACTIVE',
      names: [...attributes, ...indexes],
    }
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

/**
 * Copies the items of a table that another lacks, byte for byte; can be repeated, and never overwrites an item.
 *
 * @param onCounts called after each page
 */
export async function copyItems(
  client: DynamoDBClient,
  { from, to, keys, isDryRun, mayCopy }: TableCopy,
  onCounts: (counts: CopyCounts) => void,
): Promise<CopyCounts> {
  const counts = { lacking: 0, there: 0, leftOut: 0 }
  const [partitionKey, sortKey] = keys
  const isLacking = async (item: Record<string, AttributeValue>) => {
    const Key = { [partitionKey]: item[partitionKey] ?? { S: '' }, [sortKey]: item[sortKey] ?? { S: '' } }
    return (await client.send(new GetItemCommand({ TableName: to, Key, ConsistentRead: true }))).Item === undefined
  }
  const put = (item: Record<string, AttributeValue>) =>
    client.send(
      new PutItemCommand({
        TableName: to,
        Item: item,
        ConditionExpression: 'attribute_not_exists(#key)',
        ExpressionAttributeNames: { '#key': partitionKey },
      }),
    )
  for await (const { Items = [] } of paginateScan({ client }, { TableName: from, ConsistentRead: true })) {
    await workAtOnce(Items, writesAtOnce, async (item) => {
      if (mayCopy !== undefined && !(await mayCopy(item))) {
        counts.leftOut++
        return
      }
      const lacks = isDryRun ? await isLacking(item) : (await writeConditionally(() => put(item))) === 'written'
      counts[lacks ? 'lacking' : 'there']++
    })
    onCounts(counts)
  }
  return counts
}
