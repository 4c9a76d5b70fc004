import { DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { createTables, nameTables } from '../../local/dynamodb/endpoint.ts'
import { serviceTables } from '../../local/dynamodb/service-tables.ts'
import { connectEndpoints } from './connect.ts'

/** Makes tables of the service under other names, as another deployment of the stage `blue` has them. */
export async function makeTables(suffix: string): Promise<Readonly<Record<string, string>>> {
  const template = {
    ...serviceTables,
    text: (ref: unknown) => `SearchService-blue-${serviceTables.text(ref)}-${suffix}`,
  }
  await createTables(connectEndpoints().environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '', template)
  const tables = nameTables(template)
  const client = new DynamoDBClient()
  for (const TableName of Object.values(tables))
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.1, maxDelay: 1 }, { TableName })
  return tables
}
