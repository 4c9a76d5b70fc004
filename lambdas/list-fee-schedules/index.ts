import { createDynamoAccess } from '../../adapters/dynamo-access.ts'
import { createDynamoCatalogue } from '../../adapters/dynamo-catalogue.ts'
import { connectDynamo } from '../../adapters/dynamo-client.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { listFeeSchedulesHandler } from './handler.ts'

const env = readEnvironment('list-fee-schedules')
const dynamo = connectDynamo()

export const handler = listFeeSchedulesHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE),
  log: createLog('list-fee-schedules'),
})
