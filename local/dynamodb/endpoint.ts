import type { LocalEndpoint } from '../endpoint.ts'
import type { OpenTables } from './dynalite-tables.ts'
import { createTables, serveTables } from './server.ts'

/** DynamoDB, with the tables of the service, which are created if they do not exist. */
export const dynamodbEndpoint = (tables: OpenTables): LocalEndpoint => ({
  start: async ({ observe }) => {
    const server = await serveTables(tables)
    try {
      await createTables(server.url)
      return { environment: { AWS_ENDPOINT_URL_DYNAMODB: await observe('dynamodb', server.url) }, close: server.close }
    } catch (error) {
      await server.close()
      throw error
    }
  },
})
