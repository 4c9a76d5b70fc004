import type { Call, Contract, Schemas } from './call.ts'
import { components } from './components.ts'
import type { ErrorType } from './errors.ts'
import {
  idempotencyKeyHeader,
  rateLimitHeader,
  rateLimitPolicyHeader,
  replayedHeader,
  rowsTotalHeader,
  rowsTruncatedHeader,
} from './headers.ts'
import { type Route, routes } from './routes.ts'
import { estimate } from './schemas/estimates.ts'
import { feeScheduleFilters, feeSchedulesLimit, feeSchedulesPage, payer } from './schemas/fee-schedules.ts'
import {
  allow,
  authenticate,
  cacheControl,
  idempotencyKey,
  location,
  rateLimit,
  rateLimitPolicy,
  replayed,
  requestId,
  retryAfter,
  rowsTotal,
  rowsTruncated,
} from './schemas/headers.ts'
import { foundProviders, providerFilters, providersLimit } from './schemas/providers.ts'
import { searchRequest } from './schemas/requests/search-request.ts'
import { manifest } from './schemas/results/manifest.ts'
import { resultRows, rowsColumns, rowsFormat, rowsLimit } from './schemas/results/rows.ts'
import { searchesLimit, searchesPage, statusFilter } from './schemas/search-list.ts'
import { failedSearch, runningSearch, search } from './schemas/searches.ts'
import { cursorParameter, jobId, waitSeconds } from './schemas/values.ts'
import {
  billingCodeFilters,
  billingCodesLimit,
  billingCodesPage,
  specialtiesLimit,
  specialtiesPage,
  specialtyWords,
} from './schemas/vocabulary.ts'
import { webhooks } from './schemas/webhooks.ts'

export const pathParameters: Schemas = { job_id: jobId }

/** Headers of every answer, errors included. */
export const answerHeaders: Schemas = { 'X-Request-Id': requestId, 'Cache-Control': cacheControl }

export const errorHeaders: Readonly<Partial<Record<ErrorType, Schemas>>> = {
  unauthorized: { 'WWW-Authenticate': authenticate },
  method_not_allowed: { Allow: allow },
  rate_limited: { 'Retry-After': retryAfter },
}

/** Errors of every call that needs a key, in addition to its own. */
export const commonErrors: readonly ErrorType[] = ['unauthorized', 'forbidden', 'rate_limited', 'internal_error']

/** Headers of a 429 of the organization's own limits. */
const limitHeaders = { rate_limited: { [rateLimitPolicyHeader]: rateLimitPolicy, [rateLimitHeader]: rateLimit } }

/** The sentence of the calls that count as dear reads. */
const limitedReads =
  'An organization may look up codes and providers and read rows, all together, five times for each search that it may create in a minute; over it, the answer is 429.'

/** The request and the answers of each call. */
export const calls = {
  'create-search': {
    summary: 'Create a search',
    description:
      'Starts a search and answers at once with its identifier. Ask for it at `status_url` until it has ended.\n\nSend an `Idempotency-Key` and it is safe to send the search again if the answer was lost: the same key with the same search, however it is written, is answered as at first and runs once; with another search it is refused with 422. A key belongs to its search for as long as the search is kept.\n\nAn organization has a limit on searches that have not ended, and on searches created in a minute. Over either, the answer is 429, and `details` names the searches that have not ended; sending a search again under its `Idempotency-Key` uses up neither.\n\nA key can be limited to some calls, to searches with `summary`, and to a number of bytes a day, which a new search takes by its estimate. What the key may never do is refused with 403; a search that would exceed what is left of the day with 429.',
    headers: { [idempotencyKeyHeader]: idempotencyKey },
    body: searchRequest,
    success: {
      status: 202,
      description: 'The search is created and queued, or was before under this `Idempotency-Key`.',
      body: runningSearch,
      headers: { Location: location, 'Retry-After': retryAfter, [replayedHeader]: replayed },
      requiredHeaders: ['Location', 'Retry-After'],
    },
    errors: ['invalid_request', 'payload_too_large', 'unsupported_media_type', 'idempotency_mismatch'],
    errorHeaders: limitHeaders,
  },
  'list-searches': {
    summary: 'List searches',
    description:
      'The searches of the organization, the newest first. A search can appear a moment after it was created. With `status` a page examines 1,000 searches: it can be short or empty and still have a `next_cursor`.',
    query: { status: statusFilter, limit: searchesLimit, cursor: cursorParameter },
    success: { status: 200, description: 'One page.', body: searchesPage },
    errors: ['invalid_request'],
  },
  'get-search': {
    summary: 'Get a search',
    description:
      'Answers 200 in every state of the search: read `status`, not the HTTP status, to see that a search failed. Ask again after `Retry-After` seconds while it runs; every 15 to 30 seconds is enough for long searches.\n\nWith `wait` the call answers as soon as the search has ended, or after that many seconds with the search as it is. The operator decides how many calls may wait at once; above that number, a call answers at once, as it does without `wait`.\n\nEach answer of a completed search has URLs signed anew. A search is kept for a number of days after its end that the operator sets (7 unless changed), and is not found afterwards.',
    query: { wait: waitSeconds },
    success: {
      status: 200,
      description: 'The search as it is now.',
      body: search,
      headers: { 'Retry-After': retryAfter },
    },
    errors: ['invalid_request', 'not_found'],
  },
  'get-manifest': {
    summary: 'Get the manifest of a search',
    description:
      'Everything that the search asked for and read, in every state. Once it has completed, also the rows and columns of its result, and each file with its size, checksum and a URL signed anew.',
    success: { status: 200, description: 'The manifest as it is now.', body: manifest },
    errors: ['not_found'],
  },
  'get-rows': {
    summary: 'Get rows of a search',
    description: `Up to 1,000 rows of a completed search, as JSON or CSV: for a look at a result, or for a whole summary, without a reader of Parquet. Rows of a summary come in the order of what they are about; those of a result are any of its rows, in no order. \`truncated\` says if the search has more. The answer reads at most 16 MB of the result and has at most 4 MB, so it can have fewer rows than \`limit\`. A search that has not completed is answered with 409.\n\nAmounts are exact: in JSON they are texts. ${limitedReads}`,
    query: { limit: rowsLimit, columns: rowsColumns, format: rowsFormat },
    success: {
      status: 200,
      description: 'The rows, in JSON or CSV.',
      body: resultRows,
      csv: {
        description:
          'The names of the columns and then the rows, as RFC 4180 writes them: lists with commas between their elements, nothing for NULL. A text that begins like a formula gets an apostrophe in front.',
        example: 'plan,billing_code,negotiated_rate\r\nHarbor PPO Gold,73721,361.25\r\n',
      },
      headers: { [rowsTotalHeader]: rowsTotal, [rowsTruncatedHeader]: rowsTruncated },
    },
    errors: ['invalid_request', 'not_found', 'conflict'],
    errorHeaders: limitHeaders,
  },
  'cancel-search': {
    summary: 'Cancel a search',
    description:
      'Ends a search that has not ended: it is then `failed` with `cancelled:`. Sent again, it is answered in the same way. A body is not read.',
    success: { status: 200, description: 'The search is cancelled.', body: failedSearch },
    errors: ['not_found', 'conflict'],
  },
  'delete-search': {
    summary: 'Delete a search',
    description: 'Deletes a search that has ended, with its files: its download URLs stop working at once.',
    success: { status: 204, description: 'The search and its files are deleted.' },
    errors: ['not_found', 'conflict'],
  },
  'estimate-search': {
    summary: 'Estimate a search',
    description:
      'Takes the body of a search and says what it would read, without starting it: which of its fee schedules exist, how many files and bytes it would read at most, and what in it looks wrong.\n\nAn organization may make as many estimates in a minute as it may create searches, and the two are counted apart. Over it, the answer is 429. Refused requests use up nothing.',
    body: searchRequest,
    success: { status: 200, description: 'The estimate.', body: estimate },
    errors: ['invalid_request', 'payload_too_large', 'unsupported_media_type'],
    errorHeaders: limitHeaders,
  },
  'list-fee-schedules': {
    summary: 'List fee schedules',
    description:
      'The fee schedules (payer and plan) that can be searched, page by page. Send `next_cursor` as `cursor` until it is null. With `q` a page examines 1,000 names: it can be short and still have a `next_cursor`, and a name that was loaded just now can be missing for a moment.',
    query: { payer, ...feeScheduleFilters, limit: feeSchedulesLimit, cursor: cursorParameter },
    success: { status: 200, description: 'One page.', body: feeSchedulesPage },
    errors: ['invalid_request'],
  },
  'list-billing-codes': {
    summary: 'Find billing codes by their names',
    description: `The billing codes whose names have the words of \`q\`, or that begin with it, page by page. Names are those that payers publish beside their prices. Codes of files that were loaded without names and descriptions, because their texts are licensed, are not found; nor are those of the type \`CSTM-ALL\`, which has one code for everything. A code that is found may be listed by other plans than yours, or by none any more. ${limitedReads}`,
    query: { ...billingCodeFilters, limit: billingCodesLimit, cursor: cursorParameter },
    requiredQuery: ['q'],
    success: { status: 200, description: 'One page.', body: billingCodesPage },
    errors: ['invalid_request'],
    errorHeaders: limitHeaders,
  },
  'list-specialties': {
    summary: 'Find specialties of providers by their names',
    description:
      "The specialties whose names have the words of `q`, or whose codes begin with it; without `q`, all. They are NUCC's taxonomy codes, if the operator has loaded them.",
    query: { q: specialtyWords, limit: specialtiesLimit, cursor: cursorParameter },
    success: { status: 200, description: 'One page.', body: specialtiesPage },
    errors: ['invalid_request'],
  },
  'list-providers': {
    summary: 'Find providers by name and place',
    description: `Finds who an NPI is, or the providers with words of a name in a ZIP code or state. They are those of the month of NPPES that the operator has loaded. Ask with \`npi\` alone, with a \`zip\`, or with a \`state\` and \`q\`. No query is started. The answer reads at most 16 MB and stops after 10 seconds; \`complete\` says if everything was looked at.\n\nThere are no further pages: more words or a ZIP code find the right one. Before the operator has loaded NPPES, the call is refused with 400, as a search with \`providers\` is; a month that an earlier version loaded is found by \`npi\` only. NPPES has no TINs: search for these with \`tins\`. ${limitedReads}`,
    query: { ...providerFilters, limit: providersLimit },
    success: { status: 200, description: 'The providers that match.', body: foundProviders },
    errors: ['invalid_request'],
    errorHeaders: limitHeaders,
  },
} as const satisfies Readonly<Record<Route['operation'], Call>>

/** The calls as documents read them: each may have every field of a call. */
const anyCalls: Readonly<Record<Route['operation'], Call>> = calls

/** The API as it is deployed. */
export const contract = {
  routes,
  calls: anyCalls,
  components,
  webhooks,
} as const satisfies Contract
