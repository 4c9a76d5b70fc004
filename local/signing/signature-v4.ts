import { timingSafeEqual } from 'node:crypto'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import { AwsRefusal } from '../aws-refusal.ts'
import { encodeUri, type RequestTarget } from '../request-target.ts'
import type { CredentialBook, KnownCredentials } from './credentials.ts'
import type { PresentedSignature, SignedMessage } from './presented-signature.ts'
import { algorithm, parseSigningTime, readSignature } from './presented-signature.ts'

/** The signer of a request, and the claim of the signature about the body. */
export interface VerifiedSignature {
  readonly by: 'header' | 'query'
  readonly signer: KnownCredentials
  /** SHA-256 of the body in hex, which the body's reader must check, or UNSIGNED-PAYLOAD. */
  readonly payloadHash: string
}

export interface VerificationRules {
  readonly credentials: CredentialBook
  /** The service that the signature must be for: `s3` or `sts`. */
  readonly service: string
  readonly now: Date
  /** The hash of a body that has been read; without it, the request's declared hash is used. */
  readonly payloadHash?: string
}

/** The payload hash of a body that the signature does not cover. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD'

const fifteenMinutes = 15 * 60 * 1000

/**
 * Verifies the Signature V4 in a request's Authorization header or query.
 * Source: AWS Identity and Access Management, "Create a signed AWS API request"; Amazon S3 API Reference,
 * "Authenticating Requests (AWS Signature Version 4)".
 *
 * @throws AwsRefusal with S3's code and status
 */
export async function verifySignature(
  message: SignedMessage,
  target: RequestTarget,
  { credentials, service, now, payloadHash }: VerificationRules,
): Promise<VerifiedSignature> {
  const presented = readSignature(message, target)
  const signingDate = checkTime(presented, now)
  checkScope(presented, service)
  checkSignedHeaders(presented, message)
  const signer = findSigner(presented, credentials, now)
  const hash = payloadHash ?? declaredPayloadHash(presented, message, target)
  const { accessKeyId, scope } = presented
  const secondSigner = new SecondSigner({
    credentials: { accessKeyId, secretAccessKey: signer.secret },
    region: scope.region,
    service: scope.service,
    sha256: Hash.bind(null, 'sha256'),
    // The canonical path is the path as it was sent.
    uriEscapePath: false,
  })
  const expected = await secondSigner.signAgain({ presented, signingDate, message, target, payloadHash: hash })
  if (!isSameText(presented.signature, expected))
    throw new AwsRefusal(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    )
  return { by: presented.by, signer, payloadHash: hash }
}

function checkScope({ by, scope, signedAt }: PresentedSignature, service: string): void {
  if (scope.service === service && scope.date === signedAt.slice(0, 8)) return
  const code = by === 'query' ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed'
  throw new AwsRefusal(400, code, `The credential's scope must name the date of signing and the service "${service}".`)
}

/** @returns the time of signing */
function checkTime({ by, signedAt, expiresSeconds }: PresentedSignature, now: Date): Date {
  const time = parseSigningTime(signedAt)
  if (time === undefined) {
    if (by === 'header')
      throw new AwsRefusal(403, 'AccessDenied', 'AWS authentication requires a valid x-amz-date header')
    throw new AwsRefusal(
      400,
      'AuthorizationQueryParametersError',
      `X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`,
    )
  }
  const age = now.getTime() - time.getTime()
  if (expiresSeconds === undefined) {
    if (Math.abs(age) > fifteenMinutes)
      throw new AwsRefusal(
        403,
        'RequestTimeTooSkewed',
        'The difference between the request time and the current time is too large.',
      )
  } else {
    if (age < -fifteenMinutes) throw new AwsRefusal(403, 'AccessDenied', 'Request is not valid yet')
    if (age >= expiresSeconds * 1000) throw new AwsRefusal(403, 'AccessDenied', 'Request has expired')
  }
  return time
}

/** The host and every `x-amz-` header must be signed: an unsigned one could have been added in transit. */
function checkSignedHeaders({ signedHeaders }: PresentedSignature, { headersDistinct }: SignedMessage): void {
  const unsigned = Object.keys(headersDistinct).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name),
  )
  if (unsigned.length === 0 && signedHeaders.includes('host')) return
  const names = unsigned.length === 0 ? 'host' : unsigned.join(', ')
  throw new AwsRefusal(403, 'AccessDenied', `There were headers present in the request which were not signed: ${names}`)
}

/**
 * Credential errors of a pre-signed URL are 403, because its holder cannot fix the credentials: the link no longer
 * works. A client that signs its own requests gets 400, as on AWS.
 */
function findSigner(
  { by, accessKeyId, sessionToken }: PresentedSignature,
  credentials: CredentialBook,
  now: Date,
): KnownCredentials {
  const signer = credentials.find(accessKeyId, sessionToken, now)
  const tokenStatus = by === 'query' ? 403 : 400
  if (signer === 'expired') throw new AwsRefusal(tokenStatus, 'ExpiredToken', 'The provided token has expired.')
  if (signer === 'token invalid')
    throw new AwsRefusal(tokenStatus, 'InvalidToken', 'The provided token is malformed or otherwise invalid.')
  if (signer === 'unknown')
    throw new AwsRefusal(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')
  return signer
}

function declaredPayloadHash(
  { by }: PresentedSignature,
  { headersDistinct }: SignedMessage,
  { query }: RequestTarget,
): string {
  const header = headersDistinct['x-amz-content-sha256']?.join(',')
  const declared = by === 'query' ? (query.get('X-Amz-Content-Sha256') ?? header ?? unsignedPayload) : header
  if (declared === undefined)
    throw new AwsRefusal(400, 'InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  if (declared !== unsignedPayload && !/^[0-9a-f]{64}$/.test(declared))
    throw new AwsRefusal(
      400,
      'InvalidArgument',
      `x-amz-content-sha256 must be a sha256 value or ${unsignedPayload}: aws-chunked bodies are not implemented`,
    )
  return declared
}

interface SignedRequest {
  readonly presented: PresentedSignature
  readonly signingDate: Date
  readonly message: SignedMessage
  readonly target: RequestTarget
  /** SHA-256 of the body in hex, or UNSIGNED-PAYLOAD. */
  readonly payloadHash: string
}

/** Signs requests again with the SDK's signer, over exactly the headers that their signatures cover. */
class SecondSigner extends SignatureV4 {
  /** @returns the signature that a holder of the secret gives the request, in hex */
  async signAgain({ presented, signingDate, message, target, payloadHash }: SignedRequest): Promise<string> {
    const { scope, signedHeaders, signedAt } = presented
    const { method = '', headersDistinct } = message
    const { path, query } = target
    const request = {
      method,
      protocol: 'http:',
      hostname: '',
      path: path.split('/').map(encodeUri).join('/'),
      query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
      headers: {},
    }
    const headers = signedHeaders.map((name) => [name, canonicalValue(headersDistinct[name] ?? [])])
    const canonical = this.createCanonicalRequest(request, Object.fromEntries(headers), payloadHash)
    const scopeText = `${scope.date}/${scope.region}/${scope.service}/aws4_request`
    return this.sign(await this.createStringToSign(signedAt, scopeText, canonical, algorithm), { signingDate })
  }
}

function canonicalValue(values: readonly string[]): string {
  return values.map((value) => value.trim().replace(/ +/g, ' ')).join(',')
}

/** Compares in constant time, so that a signature cannot be guessed byte by byte. */
function isSameText(presented: string, expected: string): boolean {
  const [a, b] = [Buffer.from(presented), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
