import { openS3FileLists } from '../adapters/s3/s3-file-lists.ts'
import { parseRelationColumns } from '../schema/columns/relation-columns.ts'
import type { Environment } from '../schema/environment.ts'

/** Composes what start-query needs to read the rates of the stage. */
export function composeRates(env: Environment<'RATES_COLUMNS' | 'RATES_LOCATION' | 'FILE_LISTS_LOCATION'>) {
  return {
    columns: parseRelationColumns(env.RATES_COLUMNS),
    ratesLocation: env.RATES_LOCATION,
    fileLists: openS3FileLists(env.FILE_LISTS_LOCATION),
  }
}
