/** Custom headers of the API. Source: IETF draft "The Idempotency-Key HTTP Header Field". */

/** Request header of `POST /v1/searches`: requests with the same key and body are the same job. */
export const idempotencyKeyHeader = 'Idempotency-Key'

/** Response header, `true` if an earlier request created the job. */
export const replayedHeader = 'Idempotent-Replayed'
