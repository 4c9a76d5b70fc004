import { mkdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { PrintableError } from '../../schema/printable-error.ts'
import { closeToBrowsers, listen, type RunningServer, readBody } from '../http-server.ts'
import type { StackTemplate } from '../stack-template.ts'
import { openTables } from './dynalite-tables.ts'

/** Source: Amazon DynamoDB API Reference, "BatchWriteItem": at most 16 MB of data. */
const maxCallBytes = 17 * 1024 * 1024

/**
 * Serves DynamoDB from a folder that no other process may have open. First repairs indexes that a killed process left
 * inconsistent.
 */
export async function startDynamo(folder: string, port = 0): Promise<RunningServer> {
  mkdirSync(folder, { recursive: true })
  const tables = await openTables(folder)
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

const indexesSchema = v.optional(v.array(v.object({ IndexName: v.string() })), [])
const describedSchema = v.object({ Table: v.object({ GlobalSecondaryIndexes: indexesSchema }) })

/**
 * Creates the template's tables if they do not exist.
 *
 * @throws TablesOutdated if one exists without an index of the template: items in it lack the attributes of the index
 */
export async function createTables(url: string, template: Pick<StackTemplate, 'ofType' | 'text'>): Promise<void> {
  for (const { id, properties } of template.ofType('AWS::DynamoDB::GlobalTable')) {
    const TableName = template.text({ Ref: id })
    await call(url, 'CreateTable', {
      TableName,
      KeySchema: v.parse(keySchema, properties['KeySchema']),
      AttributeDefinitions: v.parse(attributesSchema, properties['AttributeDefinitions']),
      BillingMode: 'PAY_PER_REQUEST',
      ...(properties['GlobalSecondaryIndexes'] !== undefined && {
        GlobalSecondaryIndexes: properties['GlobalSecondaryIndexes'],
      }),
    })
    const { Table } = v.parse(describedSchema, await call(url, 'DescribeTable', { TableName }))
    const found = Table.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
    const wanted = v.parse(indexesSchema, properties['GlobalSecondaryIndexes'])
    if (!wanted.every(({ IndexName }) => found.includes(IndexName))) throw new TablesOutdated()
  }
}

/** The physical names of the template's tables by construct name: `TablesJobs313634AE` is `Jobs` below `Tables`. */
export function nameTables(template: Pick<StackTemplate, 'ofType' | 'text'>): Readonly<Record<string, string>> {
  const nameOf = (logicalId: string) => logicalId.replace(/^Tables/, '').replace(/[0-9A-F]{8}$/, '')
  const tables = template.ofType('AWS::DynamoDB::GlobalTable')
  return Object.fromEntries(tables.map(({ id }) => [nameOf(id), template.text({ Ref: id })]))
}

/** An earlier version created the tables. */
export class TablesOutdated extends PrintableError {
  override readonly name = 'TablesOutdated'
  constructor() {
    super(
      'an earlier version created the tables of this data folder: remove the folder and load its rates again, or use --data',
    )
  }
}

/** Makes one DynamoDB call. A table that already exists is not an error. */
async function call(url: string, operation: string, input: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      // dynalite checks that a signature is well-formed but does not verify it.
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify(input),
  })
  const text = await response.text()
  if (!response.ok && !text.includes('ResourceInUseException')) throw new TypeError(`${operation} failed: ${text}`)
  return JSON.parse(text)
}
