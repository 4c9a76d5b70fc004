import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWebhooks } from '../../adapters/dynamodb/dynamo-webhooks.ts'
import { createWebhookCalls } from '../../adapters/network/webhook-calls.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { deliverWebhooksHandler } from './handler.ts'

const env = readEnvironment(['STAGE', 'WEBHOOKS_TABLE', 'WEBHOOK_ADDRESSES'])

export const handler = deliverWebhooksHandler({
  webhooks: createDynamoWebhooks(connectDynamo(), env.WEBHOOKS_TABLE),
  call: createWebhookCalls({ allowsPrivate: false, allowsOwn: env.WEBHOOK_ADDRESSES === 'own' }),
  now: () => new Date(),
  random: Math.random,
  log: createLog('deliver-webhooks'),
  stage: env.STAGE,
  writeLine: (line) => process.stdout.write(`${line}\n`),
})
