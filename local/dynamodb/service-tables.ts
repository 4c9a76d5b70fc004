import { createHash } from 'node:crypto'
import { type OfTables, serviceTables, type TableSchema } from '../../schema/tables.ts'

/** The physical names of the tables, which are their ids in the synthesised template; a test compares both. */
export const tableNames: OfTables<string> = {
  Jobs: nameTable('Jobs'),
  Access: nameTable('Access'),
  FeeSchedules: nameTable('FeeSchedules'),
  Contents: nameTable('Contents'),
  Webhooks: nameTable('Webhooks'),
}

export const localTables = Object.entries<TableSchema>(serviceTables).map(
  ([construct, schema]) => [nameTable(construct), schema] as const,
)

/** Source: CDK developer guide, "Logical IDs": the path without Resource, and eight digits of its hash. */
function nameTable(construct: string): string {
  const hash = createHash('md5').update(`Tables/${construct}/Resource`).digest('hex')
  return `Tables${construct}${hash.slice(0, 8).toUpperCase()}`
}

/** Returns the input of CreateTable for a table, without its name and billing. */
export function describeTable({ partitionKey, sortKey, indexes = [] }: TableSchema) {
  const allKeys = [{ partitionKey, sortKey }, ...indexes]
  const attributes = new Set(allKeys.flatMap((keys) => [keys.partitionKey, keys.sortKey]))
  return {
    KeySchema: describeKeys({ partitionKey, sortKey }),
    AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: describeKeys(index),
        Projection:
          index.attributes.length === 0
            ? { ProjectionType: 'KEYS_ONLY' }
            : { ProjectionType: 'INCLUDE', NonKeyAttributes: index.attributes },
      })),
    }),
  }
}

const describeKeys = ({ partitionKey, sortKey }: Pick<TableSchema, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
]
