import { setTimeout as sleep } from 'node:timers/promises'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/dynamo-jobs.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { createEndCount } from '../metrics.ts'
import { awaitQueryHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'WORKGROUP', 'DATABASE', 'RETENTION_DAYS', 'STAGE'])

export const handler = awaitQueryHandler({
  jobs: createDynamoJobs(connectDynamo(), env.JOBS_TABLE),
  queries: createAthenaQueries({ workGroup: env.WORKGROUP, database: env.DATABASE }),
  retentionDays: env.RETENTION_DAYS,
  now: () => new Date(),
  sleep,
  log: createLog('await-query'),
  countEnd: createEndCount(env.STAGE),
})
