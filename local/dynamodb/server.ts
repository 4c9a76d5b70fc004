import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { PrintableError } from '../../schema/printable-error.ts'
import type { TableSchema } from '../../schema/tables.ts'
import { closeToBrowsers, listen, type RunningServer, readBody } from '../http-server.ts'
import { type OpenTables, openTables } from './dynalite-tables.ts'
import { describeTable, localTables } from './service-tables.ts'

/** Source: Amazon DynamoDB API Reference, "BatchWriteItem": at most 16 MB of data. */
const maxCallBytes = 17 * 1024 * 1024

/** Opens the tables of a folder that no other process may have open, and serves DynamoDB from them. */
export async function startDynamo(folder: string): Promise<RunningServer> {
  const tables = await openTables(folder)
  const { url, close } = await serveTables(tables)
  return {
    url,
    close: async () => {
      await close()
      await tables.close()
    },
  }
}

/** Serves DynamoDB from open tables, which stay open when the server closes. */
export function serveTables(tables: OpenTables): Promise<RunningServer> {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request
    const body = await readBody(request, maxCallBytes)
    if (body === undefined) response.writeHead(413).end()
    else tables.serve({ method, url, headers, body }, response)
  }
  const listener = closeToBrowsers((request, response) => {
    // A client that disconnects mid-request gets no response.
    serve(request, response).catch(() => response.destroy())
  })
  return listen(listener)
}

const outdated =
  'an earlier version created the tables of this data folder: remove the folder and load its rates again, or use --data'

const describedSchema = v.object({
  Table: v.object({ GlobalSecondaryIndexes: v.optional(v.array(v.object({ IndexName: v.string() })), []) }),
})

/**
 * Creates tables if they do not exist.
 *
 * @param tables with their names. @default - those of the service
 * @throws PrintableError if a table exists without an index of its schema: its items lack the attributes of the index
 */
export async function createTables(
  url: string,
  tables: readonly (readonly [name: string, schema: TableSchema])[] = localTables,
): Promise<void> {
  for (const [TableName, schema] of tables) {
    await call(url, 'CreateTable', { TableName, ...describeTable(schema), BillingMode: 'PAY_PER_REQUEST' })
    const { Table } = v.parse(describedSchema, await call(url, 'DescribeTable', { TableName }))
    const indexNames = Table.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
    if (schema.indexes?.some(({ name }) => !indexNames.includes(name))) throw new PrintableError(outdated)
  }
}

/** Makes one DynamoDB call. A table that already exists is not an error. */
async function call(url: string, operation: string, input: object): Promise<unknown> {
  // Not `fetch`, which sends even this to the proxy that NODE_USE_ENV_PROXY turns on.
  const request = sendRequest(url, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      // dynalite checks that a signature is well-formed but does not verify it.
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    },
  })
  request.end(JSON.stringify(input))
  const [response]: readonly IncomingMessage[] = await once(request, 'response')
  if (response === undefined) throw new TypeError(`${operation} has no response`)
  const answer = await text(response)
  if (response.statusCode !== 200 && !answer.includes('ResourceInUseException'))
    throw new TypeError(`${operation} failed: ${answer}`)
  return JSON.parse(answer)
}
