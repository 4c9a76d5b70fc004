import { createStartedQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoUnendedJobs } from '../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { sweepSearchesHandler } from './handler.ts'

const env = readEnvironment([
  'JOBS_TABLE',
  'RETENTION_DAYS',
  'STAGE',
  'STATE_MACHINE_ARN',
  'WAITING_HOURS',
  'RUNNING_HOURS',
])
const dynamo = connectDynamo()
const usages = createDynamoUsages(dynamo, env.JOBS_TABLE)

export const handler = sweepSearchesHandler({
  ...composeEnding(dynamo, env),
  log: createLog('sweep-searches'),
  reviews: usages,
  holders: usages,
  unended: createDynamoUnendedJobs(dynamo, env.JOBS_TABLE),
  workflow: createSfnWorkflow(env.STATE_MACHINE_ARN),
  queries: createStartedQueries(),
  limits: { waitingHours: env.WAITING_HOURS, runningHours: env.RUNNING_HOURS },
  stage: env.STAGE,
  writeLine: (line) => process.stdout.write(`${line}\n`),
})
