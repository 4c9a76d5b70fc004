import { setTimeout as sleep } from 'node:timers/promises'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoForcedRefreshes } from '../../adapters/dynamodb/catalogue/dynamo-forced-refreshes.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { countBytes } from '../metrics.ts'
import { composePublishing } from '../publishing.ts'
import { composeRates } from '../rates-of-stage.ts'
import { startQueryHandler } from './handler.ts'

const env = readEnvironment([
  'JOBS_TABLE',
  'RETENTION_DAYS',
  'STAGE',
  'CATALOGUE_TABLE',
  'CONTENTS_TABLE',
  'RESULTS_BUCKET',
  'WORKGROUP',
  'DATABASE',
  'RATES_COLUMNS',
  'RATES_LOCATION',
  'FILE_LISTS_LOCATION',
  'SEARCH_FILES',
  'FEE_SCHEDULES',
  'QUERY_WAIT_MS',
])
const dynamo = connectDynamo()

export const handler = startQueryHandler({
  ...composeEnding(dynamo, env),
  ...composePublishing(env),
  ...composeRates(dynamo, env),
  log: createLog('start-query'),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  contents: createDynamoContents(dynamo, env.CONTENTS_TABLE),
  queries: countBytes(createAthenaQueries({ workGroup: env.WORKGROUP, database: env.DATABASE }), env.STAGE),
  refreshes: env.FEE_SCHEDULES === 'relation' ? createDynamoForcedRefreshes(dynamo, env.JOBS_TABLE) : undefined,
  queryWaitMs: env.QUERY_WAIT_MS,
  sleep,
  random: Math.random,
})
