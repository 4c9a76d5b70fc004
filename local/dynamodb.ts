import { mkdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { openTables } from './dynalite-tables.ts'
import type { RunningServer } from './http-server.ts'
import { closeToBrowsers, listen, readBody } from './http-server.ts'
import type { StackTemplate } from './stack-template.ts'

/** Source: Amazon DynamoDB API Reference, "BatchWriteItem": 16 MB of data at most. */
const longestCallBytes = 17 * 1024 * 1024

/**
 * Serves DynamoDB from a folder, which no other process may have open. Indexes that a killed process left behind their
 * tables are made right before the first call.
 */
export async function startDynamo(folder: string, port = 0): Promise<RunningServer> {
  mkdirSync(folder, { recursive: true })
  const tables = await openTables(folder)
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request
    const body = await readBody(request, longestCallBytes)
    if (body === undefined) response.writeHead(413).end()
    else tables.serve({ method, url, headers, body }, response)
  }
  const listener = closeToBrowsers((request, response) => {
    // A client that is gone before its call is whole gets no answer.
    serve(request, response).catch(() => response.destroy())
  })
  const { url, close } = await listen(listener, port)
  return {
    url,
    close: async () => {
      await close()
      await tables.close()
    },
  }
}

const keySchema = v.array(v.object({ AttributeName: v.string(), KeyType: v.string() }))
const attributesSchema = v.array(v.object({ AttributeName: v.string(), AttributeType: v.string() }))

/** Makes the template's tables, where they are not there yet. */
export async function createTables(url: string, template: StackTemplate): Promise<void> {
  for (const { id, properties } of template.ofType('AWS::DynamoDB::GlobalTable')) {
    await call(url, 'CreateTable', {
      TableName: template.text({ Ref: id }),
      KeySchema: v.parse(keySchema, properties['KeySchema']),
      AttributeDefinitions: v.parse(attributesSchema, properties['AttributeDefinitions']),
      BillingMode: 'PAY_PER_REQUEST',
      ...(properties['GlobalSecondaryIndexes'] !== undefined && {
        GlobalSecondaryIndexes: properties['GlobalSecondaryIndexes'],
      }),
    })
  }
}

/** One call of DynamoDB's JSON protocol. A table that exists is what was asked for. */
async function call(url: string, operation: string, input: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      // dynalite asks for the form of a signature and not for its truth.
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify(input),
  })
  const text = await response.text()
  if (!response.ok && !text.includes('ResourceInUseException')) throw new TypeError(`${operation} failed: ${text}`)
}
