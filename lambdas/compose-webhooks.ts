import { connectDynamo } from '../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWebhooks } from '../adapters/dynamodb/dynamo-webhooks.ts'
import { createWebhookCalls } from '../adapters/network/webhook-calls.ts'
import type { CallsWebhooks } from '../core/events/attempt-call.ts'
import type { Environment } from '../schema/environment.ts'
import type { WritesMetrics } from './metrics.ts'

/** Composes what the functions that call webhooks share, from their variables. */
export function composeWebhooks({
  STAGE,
  WEBHOOKS_TABLE,
  WEBHOOK_ADDRESSES,
}: Environment<'STAGE' | 'WEBHOOKS_TABLE' | 'WEBHOOK_ADDRESSES'>): Omit<CallsWebhooks, 'log'> & WritesMetrics {
  return {
    webhooks: createDynamoWebhooks(connectDynamo(), WEBHOOKS_TABLE),
    call: createWebhookCalls({ allowsPrivate: false, allowsOwn: WEBHOOK_ADDRESSES === 'own' }),
    now: () => new Date(),
    random: Math.random,
    stage: STAGE,
    writeLine: (line) => process.stdout.write(`${line}\n`),
  }
}
