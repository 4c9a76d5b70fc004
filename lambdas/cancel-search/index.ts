import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/dynamo-jobs.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { createEndCount } from '../metrics.ts'
import { cancelSearchHandler } from './handler.ts'

const env = readEnvironment([
  'ACCESS_TABLE',
  'JOBS_TABLE',
  'WORKGROUP',
  'DATABASE',
  'PUBLIC_BASE_URL',
  'RETENTION_DAYS',
  'STAGE',
])
const dynamo = connectDynamo()

export const handler = cancelSearchHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  lookup: createDynamoJobLookup(dynamo, { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }),
  jobs: createDynamoJobs(dynamo, env.JOBS_TABLE),
  queries: createAthenaQueries({ workGroup: env.WORKGROUP, database: env.DATABASE }),
  publicBaseUrl: env.PUBLIC_BASE_URL,
  retentionDays: env.RETENTION_DAYS,
  now: () => new Date(),
  log: createLog('cancel-search'),
  countEnd: createEndCount(env.STAGE),
})
