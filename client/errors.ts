import type { ErrorBody, FailedSearch, Fault } from './api.ts'

/** The error types of the service; `unexpected_answer` if something else answered in its place. */
export type ApiErrorType = ErrorBody['error']['type'] | 'unexpected_answer'

/** The service refused a call, or failed to answer it. Branch on `type`; show `message`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status of the answer. */
  readonly status: number
  readonly type: ApiErrorType
  /** Quote it to the operator of the service; undefined if the answer had none. */
  readonly requestId: string | undefined
  /** All faults of the request. */
  readonly details: readonly Fault[]
  /** Seconds to wait before a retry, if the service named them. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: number,
    { type, message, request_id, details }: Omit<ErrorBody['error'], 'type' | 'request_id'> & ErrorFacts,
    retryAfterSeconds?: number,
  ) {
    super(message)
    this.status = status
    this.type = type
    this.requestId = request_id
    this.details = details ?? []
    this.retryAfterSeconds = retryAfterSeconds
  }
}

interface ErrorFacts {
  readonly type: ApiErrorType
  readonly request_id?: string
}

/**
 * No complete answer was received: the network or the address is wrong, or the service is down. `cause` has the reason.
 */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed'
}

/** A search that was waited for has failed. Branch on `reason`, the word before the colon of its error. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed'
  readonly jobId: string
  /** The reason, as a word that programs can branch on, such as `unsupported_fee_schedule`. */
  readonly reason: string

  constructor({ job_id, error }: FailedSearch) {
    super(error)
    this.jobId = job_id
    this.reason = error.slice(0, Math.max(0, error.indexOf(':')))
  }
}

/**
 * A file could not be downloaded. Received bytes are kept, so that the same download resumes there. `cause` has the
 * reason.
 */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed'
}

/**
 * A connection that fails until a setting or a certificate is changed, so that retries are useless. The message says
 * what helps.
 */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** The system's code of an error, such as `ENOENT`. */
export const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)
