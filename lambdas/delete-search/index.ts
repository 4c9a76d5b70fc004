import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createS3ResultFiles } from '../../adapters/s3/s3-result-files.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { deleteSearchHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'RETENTION_DAYS', 'STAGE', 'ACCESS_TABLE', 'RESULTS_BUCKET'])
const dynamo = connectDynamo()

export const handler = deleteSearchHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  lookup: createDynamoJobLookup(dynamo, { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }),
  ...composeEnding(dynamo, env),
  log: createLog('delete-search'),
  resultFiles: createS3ResultFiles(env.RESULTS_BUCKET),
})
