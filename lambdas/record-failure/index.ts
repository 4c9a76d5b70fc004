import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { composeEnding, endingVariables } from '../ending.ts'
import { readEnvironment } from '../environment.ts'
import { recordFailureHandler } from './handler.ts'

const env = readEnvironment([...endingVariables, 'WORKGROUP', 'DATABASE'])

export const handler = recordFailureHandler({
  ...composeEnding('record-failure', connectDynamo(), env),
  queries: createAthenaQueries({ workGroup: env.WORKGROUP, database: env.DATABASE }),
})
