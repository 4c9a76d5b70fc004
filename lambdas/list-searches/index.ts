import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobList } from '../../adapters/dynamodb/jobs/dynamo-job-list.ts'
import { listSearches } from '../../core/calls/lists/list-searches.ts'
import { readEnvironment } from '../environment.ts'
import { servePage } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment(['ACCESS_TABLE', 'JOBS_TABLE', 'RETENTION_DAYS'])
const dynamo = connectDynamo()

export const handler = servePage(listSearches, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  list: createDynamoJobList(dynamo, env.JOBS_TABLE),
  retentionDays: env.RETENTION_DAYS,
  now: () => new Date(),
  log: createLog('list-searches'),
})
