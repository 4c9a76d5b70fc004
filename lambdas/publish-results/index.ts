import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/dynamo-jobs.ts'
import { makeEmptyShard } from '../../adapters/s3/empty-shard.ts'
import { createS3ResultFiles } from '../../adapters/s3/s3-result-files.ts'
import { resultLimits } from '../../core/publish-results.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { createEndCount } from '../metrics.ts'
import { publishResultsHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'RESULTS_BUCKET', 'RETENTION_DAYS', 'STAGE'])

export const handler = publishResultsHandler({
  jobs: createDynamoJobs(connectDynamo(), env.JOBS_TABLE),
  resultFiles: createS3ResultFiles(env.RESULTS_BUCKET),
  makeEmptyShard,
  limits: resultLimits,
  retentionDays: env.RETENTION_DAYS,
  now: () => new Date(),
  log: createLog('publish-results'),
  countEnd: createEndCount(env.STAGE),
})
