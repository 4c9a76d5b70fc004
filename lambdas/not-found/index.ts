import { readEnvironment } from '../environment.ts'
import { createLog } from '../log.ts'
import { notFoundHandler } from './handler.ts'

readEnvironment('not-found')

export const handler = notFoundHandler({ log: createLog('not-found') })
