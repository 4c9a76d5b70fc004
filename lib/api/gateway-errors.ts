import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type ErrorType, httpStatusOf, internalErrorMessage, notFoundMessage } from '../../contract/errors.ts'
import { protectiveHeaders } from '../../contract/headers.ts'

/** Errors that API Gateway itself returns, in the envelope of all other errors. */
const gatewayErrors: readonly (readonly [ResponseType, ErrorType, string])[] = [
  [ResponseType.BAD_REQUEST_BODY, 'invalid_request', 'The body cannot be read.'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'invalid_request', 'The parameters cannot be read.'],
  [ResponseType.REQUEST_TOO_LARGE, 'payload_too_large', 'The body is larger than the service accepts.'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported_media_type', 'The body must be sent as application/json.'],
  // A header that looks like an AWS signature makes API Gateway report an unknown path as unauthorized; we answer 404.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found', notFoundMessage],
  [ResponseType.INVALID_SIGNATURE, 'not_found', notFoundMessage],
  [ResponseType.EXPIRED_TOKEN, 'not_found', notFoundMessage],
  [ResponseType.INVALID_API_KEY, 'unauthorized', 'A valid API key is required.'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found', notFoundMessage],
  [ResponseType.UNAUTHORIZED, 'unauthorized', 'A valid API key is required.'],
  [ResponseType.ACCESS_DENIED, 'forbidden', 'This request is refused.'],
  [ResponseType.WAF_FILTERED, 'forbidden', 'This request is refused.'],
  [ResponseType.THROTTLED, 'rate_limited', 'Too many requests: wait for Retry-After seconds.'],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited', 'Too many requests: wait for Retry-After seconds.'],
]

/** Puts API Gateway's own errors into the error envelope, with the request id. */
export function addGatewayErrors(api: RestApi): void {
  for (const [responseType, type, message] of gatewayErrors)
    addGatewayError(api, responseType, { type, message, statusCode: String(httpStatusOf[type]) })
  // The defaults set no status: a fixed one would replace the status of every other error of the class.
  const requestMessage = 'The request cannot be served.'
  addGatewayError(api, ResponseType.DEFAULT_4XX, { type: 'invalid_request', message: requestMessage })
  addGatewayError(api, ResponseType.DEFAULT_5XX, { type: 'internal_error', message: internalErrorMessage })
}

interface GatewayError {
  readonly type: ErrorType
  readonly message: string
  /** HTTP status. @default - the status that API Gateway chose */
  readonly statusCode?: string
}

function addGatewayError(api: RestApi, responseType: ResponseType, { type, message, statusCode }: GatewayError): void {
  const body = `{"error":{"type":"${type}","message":"${message}","request_id":"$context.requestId"}}`
  api.addGatewayResponse(`Gateway${responseType.responseType}`, {
    type: responseType,
    ...(statusCode !== undefined && { statusCode }),
    responseHeaders: {
      'X-Request-Id': 'context.requestId',
      'Cache-Control': "'no-store'",
      ...Object.fromEntries(Object.entries(protectiveHeaders).map(([name, value]) => [name, `'${value}'`])),
      ...(type === 'rate_limited' && { 'Retry-After': "'2'" }),
      ...(type === 'unauthorized' && { 'WWW-Authenticate': "'Bearer'" }),
    },
    templates: { 'application/json': body },
  })
}
