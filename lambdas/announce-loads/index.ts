import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoLoadRecords } from '../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createEventBridgeAnnouncements } from '../../adapters/eventbridge-announcements.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { announceLoadsHandler } from './handler.ts'

const env = readEnvironment(['CATALOGUE_TABLE', 'CONTENTS_TABLE', 'STAGE'])
const dynamo = connectDynamo()

export const handler = announceLoadsHandler({
  records: createDynamoLoadRecords(dynamo, env.CONTENTS_TABLE),
  catalogue: createDynamoCatalogue(dynamo, env.CATALOGUE_TABLE, env.CONTENTS_TABLE),
  announcements: createEventBridgeAnnouncements(env.STAGE),
  now: () => new Date(),
  log: createLog('announce-loads'),
})
