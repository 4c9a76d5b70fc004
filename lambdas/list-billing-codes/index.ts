import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoCodeNames } from '../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { listBillingCodes } from '../../core/calls/lists/list-billing-codes.ts'
import { readEnvironment } from '../environment.ts'
import { servePage } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment(['ACCESS_TABLE', 'CONTENTS_TABLE'])
const dynamo = connectDynamo()

export const handler = servePage(listBillingCodes, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  codeNames: createDynamoCodeNames(dynamo, env.CONTENTS_TABLE),
  now: () => new Date(),
  log: createLog('list-billing-codes'),
})
