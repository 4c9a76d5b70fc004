import { AwsRefusal } from './aws-refusal.ts'

/** A request's path and query, decoded from the raw request line: routers re-encode, which would break signatures. */
export interface RequestTarget {
  /** Decoded but never normalised, since `a//b` and `a/../b` are distinct keys. */
  readonly path: string
  readonly query: URLSearchParams
}

/**
 * Decodes the target of a request (`request.url`).
 *
 * @throws AwsRefusal InvalidURI for bad percent-encoding, bytes that are not UTF-8, or a target that is not a path
 */
export function parseTarget(url: string): RequestTarget {
  const queryStart = url.indexOf('?')
  const rawPath = queryStart === -1 ? url : url.slice(0, queryStart)
  const rawQuery = queryStart === -1 ? '' : url.slice(queryStart + 1)
  if (!rawPath.startsWith('/')) throw invalidUri()
  const pairs = rawQuery.split('&').filter((pair) => pair !== '')
  return { path: decode(rawPath), query: new URLSearchParams(pairs.map(parsePair)) }
}

/**
 * Percent-encodes everything but the unreserved characters of RFC 3986, as signatures need it.
 * Source: Amazon S3 API Reference, "Signature calculations for the Authorization header", UriEncode.
 */
export function encodeUri(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** A space may be sent as `+` in a query, but never in a path. */
function parsePair(pair: string): [string, string] {
  const [name = '', ...value] = pair.replaceAll('+', ' ').split('=')
  return [decode(name), decode(value.join('='))]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidUri()
  }
}

function invalidUri(): AwsRefusal {
  return new AwsRefusal(400, 'InvalidURI', "Couldn't parse the specified URI.")
}
