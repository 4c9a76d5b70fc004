import { randomBytes, randomUUID } from 'node:crypto'
import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { createDynamoSearchUsages } from '../../adapters/dynamodb/dynamo-byte-usages.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoCreationLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import { parseRelationColumns } from '../../schema/columns/relation-columns.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { createSearchHandler } from './handler.ts'

const env = readEnvironment([
  'ACCESS_TABLE',
  'JOBS_TABLE',
  'CATALOGUE_TABLE',
  'CONTENTS_TABLE',
  'RATES_COLUMNS',
  'STATE_MACHINE_ARN',
  'PUBLIC_BASE_URL',
  'RETENTION_DAYS',
  'MAX_SEARCHES',
  'SEARCHES_PER_MINUTE',
])
const dynamo = connectDynamo()

export const handler = createSearchHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  creationLookup: createDynamoCreationLookup(dynamo, { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }),
  jobs: createDynamoJobs(dynamo, env.JOBS_TABLE),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  contents: createDynamoContents(dynamo, env.CONTENTS_TABLE),
  columns: parseRelationColumns(env.RATES_COLUMNS),
  ...createDynamoSearchUsages(dynamo, env.JOBS_TABLE),
  limits: { searches: env.MAX_SEARCHES, perMinute: env.SEARCHES_PER_MINUTE },
  workflow: createSfnWorkflow(env.STATE_MACHINE_ARN),
  publicBaseUrl: env.PUBLIC_BASE_URL,
  retentionDays: env.RETENTION_DAYS,
  now: () => new Date(),
  newJobId: randomUUID,
  newRun: () => randomBytes(8).toString('hex'),
  log: createLog('create-search'),
})
