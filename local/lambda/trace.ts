/**
 * The trace of an invocation. Lambda puts it into the environment and the SDK sends it with each call, so an endpoint
 * can tell which invocation called it; locally it encodes the request id.
 * Source: Lambda developer guide, "Defined runtime environment variables", _X_AMZN_TRACE_ID; X-Ray developer guide,
 * "Tracing header".
 */

/** @param requestId a UUID */
export function writeTraceRoot(requestId: string): string {
  const digits = requestId.replaceAll('-', '')
  return `1-${digits.slice(0, 8)}-${digits.slice(8)}`
}
