import { createLog } from '../log.ts'
import { notFoundHandler } from './handler.ts'

export const handler = notFoundHandler({ log: createLog('not-found') })
