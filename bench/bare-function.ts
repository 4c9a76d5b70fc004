import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { batchGet, connectDynamo, type Item } from '../adapters/dynamodb/dynamo-client.ts'

/** The keys that a poll reads, by table. Set when the function is bundled. */
declare const pollKeys: Readonly<Record<string, readonly Item[]>>

const dynamo = connectDynamo()

/** The baselines for a poll: no work at all, only the read that every poll needs, and that read plus one log line. */
export async function handler({ path }: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  if (path.startsWith('/bare-read')) await batchGet(dynamo, pollKeys)
  if (path === '/bare-read-and-log')
    process.stdout.write(`${JSON.stringify({ time: new Date(), event: 'answered' })}\n`)
  return { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: '{}' }
}
