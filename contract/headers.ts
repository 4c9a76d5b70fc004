/** Headers of the API's own, beside those of HTTP. Source: IETF draft "The Idempotency-Key HTTP Header Field". */

/** Sent with `POST /v1/searches`: the same key and body are the same job, however often they are sent. */
export const idempotencyKeyHeader = 'Idempotency-Key'

/** `true` on the answer to a request whose job was there already. */
export const replayedHeader = 'Idempotent-Replayed'
