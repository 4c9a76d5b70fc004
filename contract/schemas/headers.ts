import * as v from 'valibot'
import { maxIdempotencyKeyLength } from '../limits.ts'
import { count, describeValue, exampleBaseUrl, ordinal } from './values.ts'

/** The headers of requests and answers. Values are text on the wire; a number is written in decimal digits. */

export const idempotencyKey = describeValue(
  v.pipe(v.string(), v.regex(new RegExp(`^[!-~]{1,${maxIdempotencyKeyLength}}$`))),
  `Makes it safe to send the search again: the same key with the same search is the same job, for as long as the job is kept. 1 to ${maxIdempotencyKeyLength} visible ASCII characters without spaces, best a UUID.`,
  '5f0c6f0e-3f0e-4f55-9d3c-4b5f9a1c2d3e',
)

export const entityTag = describeValue(
  v.pipe(v.string(), v.regex(/^W\/"[\w-]+"$/)),
  'Tag of this answer. It covers everything but the signatures of URLs: an answer with the same tag says the same, and its URLs have at least 25 minutes left.',
  'W/"tH5wD6yP2m3sKq0b1u9cR8nX4vL7eJzA_fGhTkYoWiQ"',
)

export const ifNoneMatch = describeValue(
  v.string(),
  'Tags of answers that the client has, with commas between them, or `*` for any: if the answer would have one of them, it is 304 without a body.',
  'W/"tH5wD6yP2m3sKq0b1u9cR8nX4vL7eJzA_fGhTkYoWiQ"',
)

export const requestId = describeValue(
  v.pipe(v.string(), v.minLength(8)),
  'Identifier of this request: quote it to support.',
  '192ad721-8d44-4730-aa9e-f15ac7dc236e',
)

export const cacheControl = describeValue(
  v.literal('no-store'),
  'Answers belong to one organization and must not be kept.',
  'no-store',
)

export const location = describeValue(
  v.pipe(v.string(), v.url()),
  'Absolute address of the search, the same as `status_url`.',
  `${exampleBaseUrl}/v1/searches/2a39443a-064f-4d78-b562-c11683209ccf`,
)

export const retryAfter = describeValue(ordinal, 'Seconds to wait before asking again.', 2)

export const replayed = describeValue(
  v.literal('true'),
  'Present if the search was there already: its `Idempotency-Key` was sent before.',
  'true',
)

export const rowsTotal = describeValue(count, 'Of rows in CSV: how many rows the whole result has.', 16)

export const rowsTruncated = describeValue(
  v.picklist(['true', 'false']),
  'Of rows in CSV: `true` if the search has more rows than this answer.',
  'false',
)

export const allow = describeValue(v.string(), 'The methods that this path has.', 'GET, DELETE')

export const authenticate = describeValue(
  v.literal('Bearer'),
  'The scheme of the API key. Amazon API Gateway sends this header as `x-amzn-Remapped-WWW-Authenticate`.',
  'Bearer',
)

/** Limits of an organization. Source: draft-ietf-httpapi-ratelimit-headers-11. */
export const rateLimitPolicy = describeValue(
  v.pipe(v.string(), v.regex(/^"[a-z]+";q=\d+/)),
  'The limits of the organization that apply: searches that may be created in a minute and searches that may be unended at once, or estimates, or lookups and reads of rows, that may be made in a minute.',
  '"searches";q=60;w=60, "running";q=20;qu="concurrent-requests"',
)

export const rateLimit = describeValue(
  v.pipe(v.string(), v.regex(/^"[a-z]+";r=\d+/)),
  'The rest of each limit, and the seconds until there is more.',
  '"searches";r=0;t=8, "running";r=4',
)
