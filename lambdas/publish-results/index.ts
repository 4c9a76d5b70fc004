import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { makeEmptyShard } from '../../adapters/s3/empty-shard.ts'
import { createS3ResultFiles } from '../../adapters/s3/s3-result-files.ts'
import { resultLimits } from '../../core/workflow/publish-results.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { publishResultsHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'RETENTION_DAYS', 'STAGE', 'RESULTS_BUCKET'])

export const handler = publishResultsHandler({
  ...composeEnding(connectDynamo(), env),
  log: createLog('publish-results'),
  resultFiles: createS3ResultFiles(env.RESULTS_BUCKET),
  makeEmptyShard,
  limits: resultLimits,
})
