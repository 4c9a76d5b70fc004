import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/dynamo-jobs.ts'
import { createS3ResultFiles } from '../../adapters/s3/s3-result-files.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { deleteSearchHandler } from './handler.ts'

const env = readEnvironment(['ACCESS_TABLE', 'JOBS_TABLE', 'RESULTS_BUCKET', 'RETENTION_DAYS'])
const dynamo = connectDynamo()

export const handler = deleteSearchHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  lookup: createDynamoJobLookup(dynamo, { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }),
  jobs: createDynamoJobs(dynamo, env.JOBS_TABLE),
  resultFiles: createS3ResultFiles(env.RESULTS_BUCKET),
  retentionDays: env.RETENTION_DAYS,
  now: () => new Date(),
  log: createLog('delete-search'),
})
