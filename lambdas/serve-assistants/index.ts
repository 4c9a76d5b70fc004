import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { plotFile } from '../../contract/mcp.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { serveAssistantsHandler } from './handler.ts'

const env = readEnvironment(['ACCESS_TABLE', 'PUBLIC_BASE_URL'])

export const handler = serveAssistantsHandler({
  access: createDynamoAccess(connectDynamo(), env.ACCESS_TABLE),
  publicBaseUrl: env.PUBLIC_BASE_URL,
  // The document is built into the folder of this function's bundle.
  plot: readFileSync(join(import.meta.dirname, plotFile), 'utf8'),
  now: () => new Date(),
  log: createLog('serve-assistants'),
})
