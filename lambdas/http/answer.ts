import type { APIGatewayProxyResult } from 'aws-lambda'
import { httpStatusOf, internalErrorMessage } from '../../contract/errors.ts'
import { protectiveHeaders, rateLimitHeader, rateLimitPolicyHeader } from '../../contract/headers.ts'
import type { ErrorBody } from '../../contract/search-api.ts'
import { MethodNotAllowed, Refusal } from '../../core/errors.ts'
import { BytesLimited } from '../../core/limits/bytes-limited.ts'
import { RateLimited } from '../../core/limits/rate-limited.ts'

/** Only strings: API Gateway rejects responses with other header values as malformed. */
type Headers = Readonly<Record<string, string>>

export function answer(statusCode: 200 | 202, body: object, headers: Headers = {}): APIGatewayProxyResult {
  return { statusCode, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) }
}

/** A response in another form than JSON, or of another protocol. @param contentType null if there is no body */
export function answerText(
  statusCode: number,
  contentType: string | null,
  body: string,
  headers: Headers = {},
): APIGatewayProxyResult {
  const type = contentType === null ? {} : { 'Content-Type': contentType }
  return { statusCode, headers: { ...noStore, ...headers, ...type }, body }
}

export function answerNothing(): APIGatewayProxyResult {
  return { statusCode: 204, headers: { ...noStore }, body: '' }
}

/**
 * The response to a thrown error. Refusals carry their own message; for any other error the client gets a fixed
 * sentence and the request id, never the exception's text.
 */
export function answerError(error: unknown, requestId: string): APIGatewayProxyResult {
  const isRefusal = error instanceof Refusal
  const { type, message, details }: DescribedError = isRefusal ? error : internalError
  const body: ErrorBody = { error: { type, message, request_id: requestId, ...(details && { details }) } }
  const headers = { ...jsonHeaders, ...(isRefusal && headersOf(error)) }
  return { statusCode: httpStatusOf[type], headers, body: JSON.stringify(body) }
}

type DescribedError = Pick<Refusal, 'type' | 'message' | 'details'>

const internalError: DescribedError = {
  type: 'internal_error',
  message: internalErrorMessage,
}

function headersOf(error: Refusal): Headers {
  if (error instanceof RateLimited) return describeLimits(error)
  if (error instanceof BytesLimited) return { 'Retry-After': String(error.retryAfter) }
  if (error.type === 'unauthorized') return { 'WWW-Authenticate': 'Bearer' }
  return error instanceof MethodNotAllowed ? { Allow: error.allowed.join(', ') } : {}
}

/** Source: draft-ietf-httpapi-ratelimit-headers-11. */
function describeLimits({ retryAfter, allowance, counted }: RateLimited): Headers {
  const { limits, created, moreIn, running } = allowance
  const [policy, left] =
    counted === 'searches'
      ? [`, "running";q=${limits.searches};qu="concurrent-requests"`, `, "running";r=${running}`]
      : ['', '']
  return {
    'Retry-After': String(retryAfter),
    [rateLimitPolicyHeader]: `"${counted}";q=${limits.perMinute};w=60${policy}`,
    [rateLimitHeader]: `"${counted}";r=${created};t=${moreIn}${left}`,
  }
}

/** A response must never be cached and served to another organization. */
const noStore = { 'Cache-Control': 'no-store', ...protectiveHeaders }

const jsonHeaders = { 'Content-Type': 'application/json', ...noStore }
