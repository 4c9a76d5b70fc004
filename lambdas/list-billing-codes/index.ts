import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoRateUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoCodeNames } from '../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { listBillingCodes } from '../../core/calls/lists/list-billing-codes.ts'
import { openCodeFinder } from '../../core/vocabulary/find-billing-codes.ts'
import { readEnvironment } from '../environment.ts'
import { servePage } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment(['ACCESS_TABLE', 'CONTENTS_TABLE', 'JOBS_TABLE', 'MAX_SEARCHES', 'SEARCHES_PER_MINUTE'])
const dynamo = connectDynamo()
const now = () => new Date()

export const handler = servePage(listBillingCodes, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  findBillingCodes: openCodeFinder(createDynamoCodeNames(dynamo, env.CONTENTS_TABLE), now),
  now,
  readUsages: createDynamoRateUsages(dynamo, env.JOBS_TABLE, 'reads'),
  limits: { searches: env.MAX_SEARCHES, perMinute: env.SEARCHES_PER_MINUTE },
  log: createLog('list-billing-codes'),
})
