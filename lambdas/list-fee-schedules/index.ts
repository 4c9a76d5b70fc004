import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { listFeeSchedules } from '../../core/calls/list-fee-schedules.ts'
import { readEnvironment } from '../environment.ts'
import { servePage } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment(['ACCESS_TABLE', 'CATALOGUE_TABLE', 'CONTENTS_TABLE'])
const dynamo = connectDynamo()

export const handler = servePage(listFeeSchedules, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  now: () => new Date(),
  log: createLog('list-fee-schedules'),
})
