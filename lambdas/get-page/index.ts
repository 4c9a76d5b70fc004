import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findStorageOrigin } from '../../adapters/s3/storage-origin.ts'
import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { getPageHandler } from './handler.ts'

const env = readEnvironment(['PUBLIC_BASE_URL', 'RESULTS_BUCKET'])

/** The page's files are built into the folder of this function's bundle. */
const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

export const handler = getPageHandler({
  files: {
    '/': read('index.html'),
    '/app.js': read('app.js'),
    '/app.css': read('app.css'),
    '/docs': read('docs.html'),
    '/docs.css': read('docs.css'),
    '/openapi.json': read('openapi.json'),
    '/notices.txt': read('THIRD-PARTY-NOTICES.txt'),
  },
  publicBaseUrl: env.PUBLIC_BASE_URL,
  storageOrigin: await findStorageOrigin(env.RESULTS_BUCKET),
  log: createLog('get-page'),
})
