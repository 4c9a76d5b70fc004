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
