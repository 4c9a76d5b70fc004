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

/**
 * Reads the request id of the calling invocation from its `X-Amzn-Trace-Id` header; undefined if no function called.
 */
export function readTracedRequest(header: string | undefined): string | undefined {
  const digits = /Root=1-([0-9a-f]{8})-([0-9a-f]{24})/
    .exec(header ?? '')
    ?.slice(1)
    .join('')
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
