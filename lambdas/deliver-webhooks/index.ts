import { composeWebhooks } from '../compose-webhooks.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { deliverWebhooksHandler } from './handler.ts'

const env = readEnvironment(['STAGE', 'WEBHOOKS_TABLE', 'WEBHOOK_ADDRESSES'])

export const handler = deliverWebhooksHandler({ ...composeWebhooks(env), log: createLog('deliver-webhooks') })
