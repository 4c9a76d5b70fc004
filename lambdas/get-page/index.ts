import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findStorageOrigin } from '../../adapters/s3/storage-origin.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { getPageHandler } from './handler.ts'

const env = readEnvironment(['PUBLIC_BASE_URL', 'RESULTS_BUCKET'])

export const handler = getPageHandler({
  // The page's files are built into the folder of this function's bundle.
  read: (file) => readFileSync(join(import.meta.dirname, file), 'utf8'),
  publicBaseUrl: env.PUBLIC_BASE_URL,
  storageOrigin: await findStorageOrigin(env.RESULTS_BUCKET),
  log: createLog('get-page'),
})
