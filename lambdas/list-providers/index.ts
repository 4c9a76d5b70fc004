import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoRateUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoSpecialties } from '../../adapters/dynamodb/vocabulary/dynamo-specialties.ts'
import { openS3ProviderFiles } from '../../adapters/s3/ranges/s3-provider-files.ts'
import { listProviders } from '../../core/calls/lists/list-providers.ts'
import { readEnvironment } from '../environment.ts'
import { servePage } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment([
  'ACCESS_TABLE',
  'CONTENTS_TABLE',
  'PROVIDERS_LOCATION',
  'JOBS_TABLE',
  'MAX_SEARCHES',
  'SEARCHES_PER_MINUTE',
])
const dynamo = connectDynamo()
const now = () => new Date()

export const handler = servePage(listProviders, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  contents: createDynamoContents(dynamo, env.CONTENTS_TABLE),
  specialties: createDynamoSpecialties(dynamo, env.CONTENTS_TABLE),
  providerFiles: openS3ProviderFiles(env.PROVIDERS_LOCATION, now),
  now,
  readUsages: createDynamoRateUsages(dynamo, env.JOBS_TABLE, 'reads'),
  limits: { searches: env.MAX_SEARCHES, perMinute: env.SEARCHES_PER_MINUTE },
  log: createLog('list-providers'),
})
