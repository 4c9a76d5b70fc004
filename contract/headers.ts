/**
 * Custom headers of the API. Sources: IETF drafts "The Idempotency-Key HTTP Header Field" and "RateLimit header fields
 * for HTTP" (draft-ietf-httpapi-ratelimit-headers-11).
 */

/** Request header of `POST /v1/searches`: requests with the same key and body create one job. */
export const idempotencyKeyHeader = 'Idempotency-Key'

/** Response header, `true` if an earlier request created the job. */
export const replayedHeader = 'Idempotent-Replayed'

/** Response header: the limits of an organization. */
export const rateLimitPolicyHeader = 'RateLimit-Policy'

/** Response header: what remains of the limits. */
export const rateLimitHeader = 'RateLimit'

/** Response header of rows in CSV: the number of rows of the whole result. */
export const rowsTotalHeader = 'X-Rows-Total'

/** Response header of rows in CSV: `true` if the search has more rows than the answer. */
export const rowsTruncatedHeader = 'X-Rows-Truncated'

/** Response header: the tag of an answer that can be saved if it has not changed. Source: RFC 9110, section 8.8.3. */
export const entityTagHeader = 'ETag'

/** Request header: the tags of the answers that a client has. Source: RFC 9110, section 13.1.2. */
export const ifNoneMatchHeader = 'If-None-Match'

/** Response headers against content sniffing and against HTTP; a host's subdomains are its owner's affair. */
export const protectiveHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
} as const
