import { setTimeout } from 'node:timers/promises'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWaitSlots } from '../../adapters/dynamodb/dynamo-wait-slots.ts'
import { createDynamoJobLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { waitingRequests } from '../../adapters/request-limits.ts'
import { createS3UrlSigner } from '../../adapters/s3/s3-url-signer.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { getSearchHandler } from './handler.ts'

const env = readEnvironment([
  'ACCESS_TABLE',
  'JOBS_TABLE',
  'RESULTS_BUCKET',
  'SIGNING_ROLE_ARN',
  'PUBLIC_BASE_URL',
  'RETENTION_DAYS',
  'WAIT_SLOTS',
])
const dynamo = connectDynamo()
const waitingDynamo = connectDynamo(waitingRequests)
const tables = { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }
const now = () => new Date()

export const handler = getSearchHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  lookup: createDynamoJobLookup(dynamo, tables),
  signer: createS3UrlSigner({ bucket: env.RESULTS_BUCKET, roleArn: env.SIGNING_ROLE_ARN, now }),
  waiting: {
    lookup: createDynamoJobLookup(waitingDynamo, tables),
    waitSlots: createDynamoWaitSlots(waitingDynamo, env.JOBS_TABLE, env.WAIT_SLOTS),
    sleep: setTimeout,
  },
  publicBaseUrl: env.PUBLIC_BASE_URL,
  retentionDays: env.RETENTION_DAYS,
  now,
  log: createLog('get-search'),
})
