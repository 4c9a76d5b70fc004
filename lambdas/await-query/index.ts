import { setTimeout as sleep } from 'node:timers/promises'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { composeEnding, endingVariables } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { awaitQueryHandler } from './handler.ts'

const env = readEnvironment([...endingVariables, 'WORKGROUP', 'DATABASE'])

export const handler = awaitQueryHandler({
  ...composeEnding('await-query', connectDynamo(), env),
  queries: createAthenaQueries({ workGroup: env.WORKGROUP, database: env.DATABASE }),
  sleep,
})
