import type { IncomingMessage } from 'node:http'
import { AwsRefusal } from '../aws-refusal.ts'
import type { RequestTarget } from '../request-target.ts'

/** The parts of a request that a signature covers, besides its target and body. */
export type SignedMessage = Pick<IncomingMessage, 'method' | 'headersDistinct'>

/** A signature as presented by a request: well-formed but not yet verified. */
export interface PresentedSignature {
  /** The place of the signature. In the query of a pre-signed URL, otherwise in the header. */
  readonly by: 'header' | 'query'
  readonly accessKeyId: string
  readonly scope: SigningScope
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** As sent, `20261120T093000Z`: the signature covers these exact characters. */
  readonly signedAt: string
  /** Validity of a pre-signed URL; absent for a header. */
  readonly expiresSeconds?: number
  readonly sessionToken: string | undefined
}

/** The scope of a signing key. */
export interface SigningScope {
  readonly date: string
  readonly region: string
  readonly service: string
}

export const algorithm = 'AWS4-HMAC-SHA256'
const maxExpirySeconds = 7 * 24 * 60 * 60
const queryNames = ['Algorithm', 'Credential', 'Signature', 'Date', 'SignedHeaders', 'Expires'].map(
  (name) => `X-Amz-${name}`,
)

/**
 * Reads a request's signature from its Authorization header or query.
 *
 * @throws AwsRefusal if there is none, more than one, or a malformed one
 */
export function readSignature(message: SignedMessage, { query }: RequestTarget): PresentedSignature {
  const header = message.headersDistinct['authorization']?.join(',')
  const isPresigned = queryNames.some((name) => query.has(name))
  if (header !== undefined && isPresigned)
    throw new AwsRefusal(400, 'InvalidArgument', 'Only one auth mechanism allowed')
  if (isPresigned) return readQuery(query)
  if (header !== undefined) return readHeader(header, message)
  throw new AwsRefusal(403, 'AccessDenied', 'Access Denied')
}

/** Parses a time of the form `20261120T093000Z`; undefined for anything else. */
export function parseSigningTime(text: string): Date | undefined {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const time = new Date(iso)
  return iso === text || Number.isNaN(time.getTime()) ? undefined : time
}

/** Source: Amazon S3 API Reference, "Authenticating requests: using query parameters". */
function readQuery(query: URLSearchParams): PresentedSignature {
  const [presentedAlgorithm, credential, signature, signedAt, signedHeaders, expires] = queryNames.map(
    (name) => query.get(name) ?? '',
  )
  if (!credential || !signature || !signedAt || !signedHeaders || !expires)
    throw malformedQuery(`Query-string authentication version 4 requires the parameters ${queryNames.join(', ')}.`)
  if (presentedAlgorithm !== algorithm) throw malformedQuery(`X-Amz-Algorithm only supports "${algorithm}"`)
  if (!/^\d{1,9}$/.test(expires)) throw malformedQuery('X-Amz-Expires should be a number')
  if (Number(expires) > maxExpirySeconds)
    throw malformedQuery('X-Amz-Expires must be less than a week (in seconds); that is, at most 604800')
  return {
    by: 'query',
    ...parseCredential(credential, malformedQuery),
    signedHeaders: signedHeaders.split(';'),
    signature,
    signedAt,
    expiresSeconds: Number(expires),
    sessionToken: query.get('X-Amz-Security-Token') ?? undefined,
  }
}

/** Source: Amazon S3 API Reference, "Authenticating requests: using the Authorization header". */
function readHeader(header: string, { headersDistinct }: SignedMessage): PresentedSignature {
  const [presentedAlgorithm, fieldList = ''] = splitOnce(header.trim(), ' ')
  if (presentedAlgorithm !== algorithm) throw malformedHeader(`The authorization mechanism is not ${algorithm}.`)
  const fields = new Map(fieldList.split(',').map((field) => splitOnce(field.trim(), '=')))
  const [credential, signedHeaders, signature] = ['Credential', 'SignedHeaders', 'Signature'].map((name) =>
    fields.get(name),
  )
  if (!credential || !signedHeaders || !signature)
    throw malformedHeader('The header needs Credential, SignedHeaders and Signature.')
  return {
    by: 'header',
    ...parseCredential(credential, malformedHeader),
    signedHeaders: signedHeaders.split(';'),
    signature,
    signedAt: headersDistinct['x-amz-date']?.[0] ?? '',
    sessionToken: headersDistinct['x-amz-security-token']?.[0],
  }
}

function parseCredential(
  credential: string,
  malformed: (message: string) => AwsRefusal,
): Pick<PresentedSignature, 'accessKeyId' | 'scope'> {
  const [accessKeyId, date, region, service, terminator, ...surplus] = credential.split('/')
  if (!accessKeyId || !date || !region || !service || terminator !== 'aws4_request' || surplus.length > 0)
    throw malformed('The credential must have the form "<key id>/YYYYMMDD/<region>/<service>/aws4_request".')
  return { accessKeyId, scope: { date, region, service } }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)]
}

function malformedQuery(message: string): AwsRefusal {
  return new AwsRefusal(400, 'AuthorizationQueryParametersError', message)
}

function malformedHeader(message: string): AwsRefusal {
  return new AwsRefusal(400, 'AuthorizationHeaderMalformed', `The authorization header is malformed. ${message}`)
}
