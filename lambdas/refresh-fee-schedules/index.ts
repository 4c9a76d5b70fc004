import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { createAthenaQueryRows } from '../../adapters/athena/athena-query-rows.ts'
import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { countBytes } from '../metrics.ts'
import { refreshFeeSchedulesHandler } from './handler.ts'

const env = readEnvironment(['CATALOGUE_TABLE', 'CONTENTS_TABLE', 'STAGE', 'WORKGROUP', 'DATABASE'])

export const handler = refreshFeeSchedulesHandler({
  catalogue: createDynamoCatalogue(connectDynamo(), env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  queries: countBytes(createAthenaQueries({ workGroup: env.WORKGROUP, database: env.DATABASE }), env.STAGE),
  rows: createAthenaQueryRows(),
  sleep: (milliseconds) => sleep(milliseconds),
  newToken: randomUUID,
  newVersion: () => randomBytes(10).toString('hex'),
  now: () => new Date(),
  log: createLog('refresh-fee-schedules'),
})
