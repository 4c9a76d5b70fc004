import * as v from 'valibot'
import { type ErrorType, httpStatusOf } from '../errors.ts'
import { maxFaults } from '../limits.ts'
import { describeObject, describeValue } from './values.ts'

const isErrorType = (name: string): name is ErrorType => Object.hasOwn(httpStatusOf, name)

export const errorTypes: readonly ErrorType[] = Object.keys(httpStatusOf).filter(isErrorType)

export const fault = describeObject('One fault of a request.', {
  path: describeValue(
    v.string(),
    'Its place in the body, or the name of a parameter or header; empty for the body as a whole.',
    'fee_schedules[2].plan',
  ),
  message: describeValue(
    v.pipe(v.string(), v.minLength(1)),
    'The rule and the value that broke it.',
    'must not be empty; got ""',
  ),
})

export const serviceError = describeObject('An error.', {
  type: describeValue(v.picklist(errorTypes), 'The type of error, which decides the HTTP status.', 'not_found'),
  message: describeValue(
    v.string(),
    'The fault and its remedy, for people.',
    'The body must be sent as "Content-Type: application/json", in UTF-8 and without content encoding.',
  ),
  request_id: describeValue(
    v.string(),
    'Identifier of this request, the same as in `X-Request-Id`: quote it to support.',
    '192ad721-8d44-4730-aa9e-f15ac7dc236e',
  ),
  details: v.exactOptional(
    v.pipe(
      v.array(fault),
      v.minLength(1),
      v.maxLength(maxFaults + 1),
      v.description(
        `Every fault of the request at once; with \`rate_limited\`, the searches that have not ended. After ${maxFaults}, how many more there are.`,
      ),
    ),
  ),
})

export const errorBody = describeObject('The body of every answer that is not a success.', { error: serviceError })

export const errorMeanings: Readonly<Record<ErrorType, string>> = {
  invalid_request: 'The body, a parameter or a header is wrong; `details` names every fault.',
  unauthorized: 'The API key is missing, malformed or not valid.',
  forbidden: 'The API key is revoked or has expired, or its organization is inactive.',
  not_permitted: 'The API key is valid, but may not do this; `message` says what it may do.',
  not_found: 'There is no such search, or it belongs to another organization: the answer is the same.',
  method_not_allowed: 'The path exists, the method does not; `Allow` names those that do.',
  conflict: 'The search is in a state that this call is not for; `message` says what to do instead.',
  payload_too_large: 'The body has more than 1 MiB.',
  unsupported_media_type: 'The body is not declared as `application/json` in UTF-8, or is compressed.',
  idempotency_mismatch: 'The `Idempotency-Key` was sent before with another search.',
  rate_limited:
    'Too many requests at once, or a limit of the organization or the key is reached: try again after `Retry-After` seconds.',
  internal_error: 'Internal error: try again; if it persists, contact support and quote the request id.',
}
