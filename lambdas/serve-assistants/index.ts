import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { serveAssistantsHandler } from './handler.ts'

const env = readEnvironment(['ACCESS_TABLE', 'PUBLIC_BASE_URL', 'UNKNOWN_SIZES'])

export const handler = serveAssistantsHandler({
  access: createDynamoAccess(connectDynamo(), env.ACCESS_TABLE),
  publicBaseUrl: env.PUBLIC_BASE_URL,
  sizes: { allowsUnknown: env.UNKNOWN_SIZES === 'allowed', setting: '"unknownSizes": true in the stage file' },
  now: () => new Date(),
  log: createLog('serve-assistants'),
})
