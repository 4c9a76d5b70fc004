import { createHash } from 'node:crypto'
import * as v from 'valibot'
import {
  accessTable,
  catalogueTable,
  contentsTable,
  jobsTable,
  type TableSchema,
  webhooksTable,
} from '../../schema/tables.ts'
import type { Resource, StackTemplate } from '../stack-template.ts'

const schemas: Readonly<Record<string, TableSchema>> = {
  Jobs: jobsTable,
  Access: accessTable,
  FeeSchedules: catalogueTable,
  Contents: contentsTable,
  Webhooks: webhooksTable,
}

/** The tables as the synthesised template has them, for commands that need no more of it; a test compares both. */
export const serviceTables: Pick<StackTemplate, 'ofType' | 'text'> = {
  ofType: (type) => (type === 'AWS::DynamoDB::GlobalTable' ? Object.entries(schemas).map(describeTable) : []),
  text: (value) => v.parse(v.object({ Ref: v.string() }), value).Ref,
}

function describeTable([name, { partitionKey, sortKey, indexes = [] }]: [string, TableSchema]): Resource {
  const all = [{ partitionKey, sortKey }, ...indexes]
  const attributes = new Set(all.flatMap((keys) => [keys.partitionKey, keys.sortKey]))
  return {
    // Source: CDK developer guide, "Logical IDs": the path without Resource, and eight digits of its hash.
    id: `Tables${name}${createHash('md5').update(`Tables/${name}/Resource`).digest('hex').slice(0, 8).toUpperCase()}`,
    type: 'AWS::DynamoDB::GlobalTable',
    properties: {
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
    },
  }
}

const describeKeys = ({ partitionKey, sortKey }: Pick<TableSchema, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
]
