/** The error types of the API, with the HTTP status of each. docs/api.md describes them. */
export const httpStatusOf = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_permitted: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
} as const

export type ErrorType = keyof typeof httpStatusOf

/** The message of every `not_found`. It is always the same, so that it does not reveal whether the job exists. */
export const notFoundMessage =
  'Not found. Check the path and the API key: a job belongs to one organization, and expires.'

/** The message of every `internal_error`. The cause stays in the logs, where the request id finds it. */
export const internalErrorMessage = 'Internal error. If it persists, contact support and quote the request id.'
