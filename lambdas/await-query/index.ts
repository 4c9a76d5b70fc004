import { setTimeout as sleep } from 'node:timers/promises'
import { createStartedQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoListFaults } from '../../adapters/dynamodb/dynamo-list-faults.ts'
import { composeEnding } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { countBytes, createListFaultCount } from '../metrics.ts'
import { awaitQueryHandler } from './handler.ts'

const env = readEnvironment(['JOBS_TABLE', 'QUERY_TURN_MS', 'RETENTION_DAYS', 'STAGE'])
const dynamo = connectDynamo()

export const handler = awaitQueryHandler({
  ...composeEnding(dynamo, env),
  log: createLog('await-query'),
  queries: countBytes(createStartedQueries(), env.STAGE),
  listFaults: createDynamoListFaults(dynamo, env.JOBS_TABLE),
  countListFault: createListFaultCount(env.STAGE),
  sleep,
  queryTurnMs: env.QUERY_TURN_MS,
})
