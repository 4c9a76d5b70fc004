import { setTimeout as sleep } from 'node:timers/promises'
import { createStartedQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { countBytes } from '../metrics.ts'
import { awaitQueryHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'RETENTION_DAYS', 'STAGE'])

export const handler = awaitQueryHandler({
  ...composeEnding(connectDynamo(), env),
  log: createLog('await-query'),
  queries: countBytes(createStartedQueries(), env.STAGE),
  sleep,
})
