import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { listFeeSchedules } from '../../core/calls/lists/list-fee-schedules.ts'
import { parseRelationColumns } from '../../schema/columns/relation-columns.ts'
import { readEnvironment } from '../environment.ts'
import { servePage } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment(['ACCESS_TABLE', 'CATALOGUE_TABLE', 'CONTENTS_TABLE', 'RATES_COLUMNS'])
const dynamo = connectDynamo()

export const handler = servePage(listFeeSchedules, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  contents: createDynamoContents(dynamo, env.CONTENTS_TABLE),
  columns: parseRelationColumns(env.RATES_COLUMNS),
  now: () => new Date(),
  log: createLog('list-fee-schedules'),
})
