import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoRateUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { openS3ResultRows } from '../../adapters/s3/s3-result-rows.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { getRowsHandler } from './handler.ts'

const env = readEnvironment([
  'ACCESS_TABLE',
  'JOBS_TABLE',
  'RESULTS_BUCKET',
  'RETENTION_DAYS',
  'MAX_SEARCHES',
  'SEARCHES_PER_MINUTE',
])
const dynamo = connectDynamo()
const now = () => new Date()

export const handler = getRowsHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  lookup: createDynamoJobLookup(dynamo, { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }),
  jobs: createDynamoJobs(dynamo, env.JOBS_TABLE),
  resultRows: openS3ResultRows(env.RESULTS_BUCKET, now),
  retentionDays: env.RETENTION_DAYS,
  now,
  readUsages: createDynamoRateUsages(dynamo, env.JOBS_TABLE, 'reads'),
  limits: { searches: env.MAX_SEARCHES, perMinute: env.SEARCHES_PER_MINUTE },
  log: createLog('get-rows'),
})
