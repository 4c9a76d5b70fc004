import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { createTables, startDynamo } from '../../../local/dynamodb/server.ts'
import type { TableSchema } from '../../../schema/tables.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

it('keeps the local DynamoDB serving after a client disconnects mid-request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tables-'))
  const dynamo = await startDynamo(folder)
  try {
    const { port } = new URL(dynamo.url)
    const socket = connectSocket(Number(port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"TableName"')
    const client = new DynamoDBClient(sdkSettings(dynamo.url))
    // Answered after the interrupted call, so that call has started by then.
    await client.send(new ListTablesCommand())
    socket.destroy()
    await once(socket, 'close')
    expect((await client.send(new ListTablesCommand())).TableNames).toEqual([])
  } finally {
    await dynamo.close()
    rmSync(folder, { recursive: true })
  }
})

/** A table that has these indexes. */
function describeTable(...indexes: readonly string[]): readonly [name: string, schema: TableSchema] {
  const index = (name: string) => ({ name, partitionKey: 'org_id', sortKey: name, attributes: [] })
  return ['Jobs', { partitionKey: 'org_id', sortKey: 'item', indexes: indexes.map(index) }]
}

it('refuses tables that an earlier version created without an index, and reopens those of this version', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tables-'))
  const dynamo = await startDynamo(folder)
  try {
    await createTables(dynamo.url, [describeTable('unended')])
    await createTables(dynamo.url, [describeTable('unended')])
    await expect(createTables(dynamo.url, [describeTable('unended', 'listed')])).rejects.toThrow(
      'an earlier version created the tables',
    )
  } finally {
    await dynamo.close()
    rmSync(folder, { recursive: true })
  }
})
