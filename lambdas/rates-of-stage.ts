import type { connectDynamo } from '../adapters/dynamodb/dynamo-client.ts'
import { createDynamoListFaults } from '../adapters/dynamodb/dynamo-list-faults.ts'
import { openS3FileLists } from '../adapters/s3/s3-file-lists.ts'
import { parseRelationColumns } from '../schema/columns/relation-columns.ts'
import type { Environment } from '../schema/environment.ts'
import { createListFaultCount } from './metrics.ts'

/** Composes what start-query needs to read the rates of the stage. */
export function composeRates(
  dynamo: ReturnType<typeof connectDynamo>,
  env: Environment<
    'JOBS_TABLE' | 'STAGE' | 'RATES_COLUMNS' | 'RATES_LOCATION' | 'FILE_LISTS_LOCATION' | 'SEARCH_FILES'
  >,
) {
  return {
    columns: parseRelationColumns(env.RATES_COLUMNS),
    ratesLocation: env.RATES_LOCATION,
    fileLists: openS3FileLists(env.FILE_LISTS_LOCATION),
    listFaults: env.SEARCH_FILES === 'auto' ? createDynamoListFaults(dynamo, env.JOBS_TABLE) : undefined,
    countListFault: createListFaultCount(env.STAGE),
  }
}
