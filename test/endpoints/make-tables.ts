import { DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { createTables } from '../../local/dynamodb/server.ts'
import { localTables, tableNames } from '../../local/dynamodb/service-tables.ts'
import { connectEndpoints } from './connect.ts'

/** Makes tables of the service under other names, as another deployment of the stage `blue` has them. */
export async function makeTables(suffix: string): Promise<Readonly<Record<string, string>>> {
  const rename = (name: string) => `SearchService-blue-${name}-${suffix}`
  const url = connectEndpoints().environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? ''
  await createTables(
    url,
    localTables.map(([name, schema]) => [rename(name), schema]),
  )
  const tables = Object.fromEntries(Object.entries(tableNames).map(([table, name]) => [table, rename(name)]))
  const client = new DynamoDBClient()
  for (const TableName of Object.values(tables))
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.1, maxDelay: 1 }, { TableName })
  return tables
}
