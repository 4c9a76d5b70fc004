import type { Log } from '../core/log.ts'
import type { FunctionName } from '../schema/function-names.ts'

/**
 * Writes one line of JSON per call to standard output, which Lambda sends to CloudWatch. Only the given facts are
 * written: never headers, bodies, keys or URLs.
 */
export function createLog(operation: FunctionName): Log {
  return (event, facts) => {
    process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), operation, event, ...facts })}\n`)
  }
}
