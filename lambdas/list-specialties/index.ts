import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoSpecialties } from '../../adapters/dynamodb/vocabulary/dynamo-specialties.ts'
import { listSpecialties } from '../../core/calls/lists/list-specialties.ts'
import { readEnvironment } from '../environment.ts'
import { servePage } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment(['ACCESS_TABLE', 'CONTENTS_TABLE'])
const dynamo = connectDynamo()

export const handler = servePage(listSpecialties, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  specialties: createDynamoSpecialties(dynamo, env.CONTENTS_TABLE),
  now: () => new Date(),
  log: createLog('list-specialties'),
})
