import type { Log } from '../core/ports.ts'
import type { Operation } from './environment.ts'

/**
 * Writes one line of JSON a call to standard output, which Lambda hands to CloudWatch. Only what is passed by name is
 * written: never headers, bodies, keys or URLs.
 */
export function createLog(operation: Operation): Log {
  return (event, facts) => {
    process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), operation, event, ...facts })}\n`)
  }
}
