import type { Log } from '../core/log.ts'
import type { FunctionName } from '../schema/function-names.ts'
import { readTraceId } from './environment.ts'

/**
 * Writes one line of JSON per call to standard output, which Lambda sends to CloudWatch. Only the given facts are
 * written: never headers, bodies, keys or URLs. A line of a traced request names its trace, by which a search can be
 * followed from its creation through all steps.
 */
export function createLog(operation: FunctionName): Log {
  return (event, facts) => {
    const traceId = readTraceId()
    const trace = traceId === undefined ? {} : { trace_id: traceId }
    process.stdout.write(
      `${JSON.stringify({ time: new Date().toISOString(), operation, event, ...trace, ...facts })}\n`,
    )
  }
}
