import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { composePublishing } from '../publishing.ts'
import { publishResultsHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'RETENTION_DAYS', 'STAGE', 'RESULTS_BUCKET'])

export const handler = publishResultsHandler({
  ...composeEnding(connectDynamo(), env),
  ...composePublishing(env),
  log: createLog('publish-results'),
})
