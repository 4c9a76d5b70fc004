import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoRecordedJobLookup } from '../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createS3UrlSigner } from '../../adapters/s3/s3-url-signer.ts'
import { getManifest } from '../../core/calls/get-manifest.ts'
import { readEnvironment } from '../environment.ts'
import { serveSearch } from '../http/serve-call.ts'
import { createLog } from '../log.ts'

const env = readEnvironment([
  'ACCESS_TABLE',
  'JOBS_TABLE',
  'CATALOGUE_TABLE',
  'CONTENTS_TABLE',
  'RESULTS_BUCKET',
  'SIGNING_ROLE_ARN',
  'RETENTION_DAYS',
])
const dynamo = connectDynamo()
const now = () => new Date()

export const handler = serveSearch(getManifest, {
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  lookup: createDynamoRecordedJobLookup(dynamo, { jobs: env.JOBS_TABLE, access: env.ACCESS_TABLE }),
  jobs: createDynamoJobs(dynamo, env.JOBS_TABLE),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  contents: createDynamoContents(dynamo, env.CONTENTS_TABLE),
  signer: createS3UrlSigner({ bucket: env.RESULTS_BUCKET, roleArn: env.SIGNING_ROLE_ARN, now }),
  retentionDays: env.RETENTION_DAYS,
  now,
  log: createLog('get-manifest'),
})
