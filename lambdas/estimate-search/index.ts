import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoRateUsages } from '../../adapters/dynamodb/dynamo-usages.ts'
import { parseRelationColumns } from '../../schema/columns/relation-columns.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { estimateSearchHandler } from './handler.ts'

const env = readEnvironment([
  'ACCESS_TABLE',
  'JOBS_TABLE',
  'CATALOGUE_TABLE',
  'CONTENTS_TABLE',
  'RATES_COLUMNS',
  'MAX_SEARCHES',
  'SEARCHES_PER_MINUTE',
])
const dynamo = connectDynamo()

export const handler = estimateSearchHandler({
  access: createDynamoAccess(dynamo, env.ACCESS_TABLE),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  contents: createDynamoContents(dynamo, env.CONTENTS_TABLE),
  estimateUsages: createDynamoRateUsages(dynamo, env.JOBS_TABLE, 'estimates'),
  limits: { searches: env.MAX_SEARCHES, perMinute: env.SEARCHES_PER_MINUTE },
  columns: parseRelationColumns(env.RATES_COLUMNS),
  now: () => new Date(),
  log: createLog('estimate-search'),
})
