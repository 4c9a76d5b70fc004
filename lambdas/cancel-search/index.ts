import { createStartedQueries } from '../../adapters/athena/athena-queries.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { cancelSearchHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'RETENTION_DAYS', 'STAGE', 'ACCESS_TABLE', 'PUBLIC_BASE_URL'])
const dynamo = connectDynamo()

export const handler = cancelSearchHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  lookup: createDynamoJobLookup(dynamo, { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }),
  ...composeEnding(dynamo, env),
  log: createLog('cancel-search'),
  queries: createStartedQueries(),
  publicBaseUrl: env.PUBLIC_BASE_URL,
})
