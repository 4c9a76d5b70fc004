/**
 * The trace of an invocation. Lambda puts it into the environment, and the SDK sends it along with each call, so whoever
 * sees a call can tell which invocation made it. On this machine it is made from the request id, and read back.
 * Source: Lambda developer guide, "Defined runtime environment variables", _X_AMZN_TRACE_ID; X-Ray developer guide,
 * "Tracing header".
 */

/** @param requestId a UUID */
export function writeTraceRoot(requestId: string): string {
  const digits = requestId.replaceAll('-', '')
  return `1-${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** The request id of the invocation that made a call, by its header `X-Amzn-Trace-Id`; undefined where no function did. */
export function readTracedRequest(header: string | undefined): string | undefined {
  const digits = /Root=1-([0-9a-f]{8})-([0-9a-f]{24})/
    .exec(header ?? '')
    ?.slice(1)
    .join('')
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
