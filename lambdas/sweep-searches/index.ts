import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/dynamo-jobs.ts'
import { createDynamoUnendedJobs } from '../../adapters/dynamodb/dynamo-unended-jobs.ts'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { createEndCount } from '../metrics.ts'
import { sweepSearchesHandler } from './handler.ts'

const env = readEnvironment([
  'JOBS_TABLE',
  'STATE_MACHINE_ARN',
  'WORKGROUP',
  'DATABASE',
  'WAITING_HOURS',
  'RUNNING_HOURS',
  'RETENTION_DAYS',
  'STAGE',
])
const dynamo = connectDynamo()

export const handler = sweepSearchesHandler({
  jobs: createDynamoJobs(dynamo, env.JOBS_TABLE),
  unended: createDynamoUnendedJobs(dynamo, env.JOBS_TABLE),
  workflow: createSfnWorkflow(env.STATE_MACHINE_ARN),
  queries: createAthenaQueries({ workGroup: env.WORKGROUP, database: env.DATABASE }),
  limits: { waitingHours: env.WAITING_HOURS, runningHours: env.RUNNING_HOURS },
  retentionDays: env.RETENTION_DAYS,
  now: () => new Date(),
  log: createLog('sweep-searches'),
  countEnd: createEndCount(env.STAGE),
  stage: env.STAGE,
  writeLine: (line) => process.stdout.write(`${line}\n`),
})
