import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { startDynamo } from '../../../local/dynamodb/endpoint.ts'

it('the local DynamoDB keeps serving after a client disconnects mid-request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tables-'))
  const dynamo = await startDynamo(folder)
  try {
    const { port } = new URL(dynamo.url)
    const socket = connectSocket(Number(port), '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"TableName"')
    const client = new DynamoDBClient({
      endpoint: dynamo.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
    })
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
