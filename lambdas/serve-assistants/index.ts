import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { serveAssistantsHandler } from './handler.ts'

const env = readEnvironment(['ACCESS_TABLE', 'PUBLIC_BASE_URL'])

export const handler = serveAssistantsHandler({
  access: createDynamoAccess(connectDynamo(), env.ACCESS_TABLE),
  publicBaseUrl: env.PUBLIC_BASE_URL,
  now: () => new Date(),
  log: createLog('serve-assistants'),
})
