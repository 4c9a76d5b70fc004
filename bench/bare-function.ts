import type { BatchGetItemCommandInput } from '@aws-sdk/client-dynamodb'
import { BatchGetItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'

/** What a poll is measured beside: nothing at all, and the one read that it cannot do without. Set when it is bundled. */
declare const bareRead: BatchGetItemCommandInput

const client = new DynamoDBClient({})

export async function handler({ path }: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  if (path.startsWith('/bare-read')) await client.send(new BatchGetItemCommand(bareRead))
  if (path === '/bare-read-and-log')
    process.stdout.write(`${JSON.stringify({ time: new Date(), event: 'answered' })}\n`)
  return { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: '{}' }
}
