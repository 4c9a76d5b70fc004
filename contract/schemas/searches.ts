import * as v from 'valibot'
import { type FilterName, filterOf, type ProviderList } from '../filters.ts'
import {
  maxBillingCodeLength,
  maxFeeSchedules,
  maxMaxBytes,
  maxResultRows,
  maxStatementBytes,
  writeLimit,
} from '../limits.ts'
import { npiRange } from '../provider-ids.ts'
import { feeSchedule, plansOfId } from './fee-schedules.ts'
import { status, truncated } from './search-progress.ts'
import { appliedSummary, summary } from './summaries.ts'
import {
  address,
  billingCodeText,
  completedAt,
  createdAt,
  describeObject,
  describeValue,
  exampleBaseUrl,
  expiresAt,
  failureText,
  jobId,
  nameText,
  ordinal,
} from './values.ts'

/** The NPI of a provider. */
export const providerNpi = v.pipe(v.number(), v.integer(), v.minValue(npiRange.least), v.maxValue(npiRange.greatest))

/** An NPI as a search names it; 0 matches rates agreed for a whole TIN. */
export const npi = v.union([v.literal(0), providerNpi])

/** A list of a request that may be left out. */
const optionalList = <const Item extends v.GenericSchema>(
  item: Item,
  filter: FilterName,
  describe: (limit: string) => string,
  example: v.InferOutput<Item>[],
) => {
  const { limit } = filterOf(filter)
  const list = v.pipe(v.array(item), v.minLength(1), v.maxLength(limit))
  return v.exactOptional(describeValue(list, describe(writeLimit(limit)), example))
}

const written = (filter: FilterName) => v.pipe(v.string(), v.regex(filterOf(filter).written))

/** A list of `providers`. */
const providerList = (filter: ProviderList['name'], example: string) =>
  optionalList(
    written(filter),
    filter,
    (limit) => `1 to ${limit} strings, each ${filterOf(filter).rule}. Left out: all.`,
    [example],
  )

const listsOfProviders = {
  states: providerList('states', 'TX'),
  zips: providerList('zips', '77030'),
  taxonomies: providerList('taxonomies', '207R00000X'),
} satisfies Readonly<Record<ProviderList['name'], v.GenericSchema>>

export const providers = v.pipe(
  v.strictObject(listsOfProviders),
  v.minEntries(1),
  v.description(
    'Providers by where their practice is, and by their primary specialty, as NPPES has them; upper and lower case are the same. A provider must match every list. Rates agreed for a whole TIN (NPI 0) and NPIs that NPPES does not have never match. Refused with 400 before the operator has loaded NPPES.',
  ),
)

/** Allows unknown lists, as answers do. */
export const askedProviders = describeObject('The lists of providers of a search.', listsOfProviders)

/** The filters of a request itself; those left out mean all. */
const ownFilters = {
  npis: optionalList(
    npi,
    'npis',
    (limit) =>
      `Providers by NPI: 1 to ${limit} integers of ten digits, written without fraction or exponent. 0 means rates agreed with a whole TIN. Left out: all providers.`,
    [1000100002, 1000100010],
  ),
  tins: optionalList(
    written('tins'),
    'tins',
    (limit) =>
      `Providers by TIN: 1 to ${limit} strings of digits, since leading zeros carry meaning; hyphens are ignored. With \`tins\` and without \`npis\`, rates agreed for a whole TIN are found too; with \`npis\` only if 0 is among them. Left out: all TINs.`,
    ['12-3456789'],
  ),
  billing_codes: optionalList(
    v.pipe(
      billingCodeText,
      v.description(
        `A billing code as text, without its type (\`99213\`, not \`CPT 99213\`). 1 to ${maxBillingCodeLength} characters once trimmed and in upper case, without control characters and characters that nobody sees.`,
      ),
    ),
    'billing_codes',
    (limit) =>
      `Billing codes (CPT, HCPCS, MS-DRG, revenue codes and others): 1 to ${limit} strings, since leading zeros carry meaning. Upper and lower case are the same. Left out: all codes.`,
    ['99213', '27447', '73721'],
  ),
  networks: optionalList(
    nameText,
    'networks',
    (limit) =>
      `Networks, as rows name them. 1 to ${limit} names, exactly as they are. Rates that name no network never match. Rows keep the names of all of their networks. Left out: all rates.`,
    ['Harbor Select'],
  ),
} satisfies Readonly<Record<Exclude<FilterName, ProviderList['name']>, v.GenericSchema>>

/** The rows that a search asks for: by filters, fee schedules and day. */
export const searchFilters = {
  ...ownFilters,
  providers: v.exactOptional(providers),
  fee_schedules: describeValue(
    v.pipe(v.array(v.union([feeSchedule, plansOfId])), v.minLength(1), v.maxLength(maxFeeSchedules)),
    `The fee schedules to search: pairs of payer and plan, or plan ids. 1 to ${maxFeeSchedules} of them, and at most ${maxFeeSchedules} fee schedules altogether.`,
    [{ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }],
  ),
  as_of: v.exactOptional(
    describeValue(
      v.pipe(v.string(), v.isoDate()),
      'A day, `YYYY-MM-DD`, of today or before: reads what searches read at its end in UTC. Left out, or today: what is active when the search begins. `changed_on` of `GET /v1/fee-schedules` says what there is; a search of a day that is not kept fails with `not_kept`.',
      '2026-11-20',
    ),
  ),
}

/** The parts of a result that a search asks for; a summary takes none of them. */
export const resultParts = {
  columns: v.exactOptional(
    describeValue(
      v.pipe(v.array(v.pipe(v.string(), v.regex(/^[a-z_]+$/))), v.minLength(1)),
      'Names of the columns that the result has, in any order; its files have them in the order of the whole result. Columns leave out values, not rows: rows that are then alike stay apart. Left out: all columns. Refused with `summary`.',
      ['plan', 'billing_code', 'negotiated_rate'],
    ),
  ),
  limit: v.exactOptional(
    describeValue(
      v.pipe(ordinal, v.maxValue(maxResultRows)),
      `The most rows that the result has, 1 to ${writeLimit(maxResultRows)}. They are any of the rows, in no order, and another search may have others; \`truncated\` says if there were more. Left out: all rows. Refused with \`summary\`.`,
      10,
    ),
  ),
}

/** The most that a search may read. */
export const readingLimit = {
  max_bytes: v.exactOptional(
    describeValue(
      v.pipe(ordinal, v.maxValue(maxMaxBytes)),
      'The most bytes that the search may read. It is refused with 400, which names the figure, if by its estimate it would read more, or if that is not known. Left out: what the operator allows.',
      1_000_000_000,
    ),
  ),
}

/** The fields of a request that hold its filters, as texts name them. */
const namedFilters = `${Object.keys(ownFilters)
  .map((name) => `\`${name}\``)
  .join(', ')} and \`providers\``

/** The fields of a search. */
const searchFields = { ...searchFilters, ...resultParts, ...readingLimit, summary: v.exactOptional(summary) }

/**
 * `minEntries` means "at least one filter". Client generators drop a model with
 * `anyOf` at its root.
 */
export const searchRequest = v.pipe(
  v.strictObject(searchFields),
  v.minEntries(2),
  v.description(
    `The rates to search for. At least one of ${namedFilters} is required; those left out mean all, and a rate must match all that are named. The whole request has at most 1 MiB, no field twice in an object, and no other field: a misspelt filter must not widen a search. Lists that are together too long for a query (${writeLimit(maxStatementBytes)} bytes) are refused with 400, naming the one to shorten.`,
  ),
)

const searchBase = {
  job_id: jobId,
  created_at: createdAt,
  status_url: describeValue(
    address,
    'Absolute address of this search.',
    `${exampleBaseUrl}/v1/searches/2a39443a-064f-4d78-b562-c11683209ccf`,
  ),
  summary: v.exactOptional(appliedSummary),
}

export const runningSearch = describeObject('A search that has not ended. Ask again after `Retry-After` seconds.', {
  ...searchBase,
  status: status.running,
})

export const completedSearch = describeObject('A search with its result: all files together, which share one schema.', {
  ...searchBase,
  status: describeValue(v.literal('completed'), 'The search has its result; this never changes.', 'completed'),
  completed_at: completedAt,
  download_urls: describeValue(
    v.pipe(v.array(address), v.minLength(1)),
    'One pre-signed URL for each Parquet file of the result, 1 to 1,000; each file has at most 1 GB. Download with GET and without an `Authorization` header. Signed anew for each answer: do not store them.',
    [
      'http://127.0.0.1:41873/rate-search-results/results/3xHu2rJuNZ3s/2a39443a-064f-4d78-b562-c11683209ccf/ca90742a479b411b/attempt-1/20261120_194509_00000_33a92_a2a6a8da?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-SignedHeaders=host',
    ],
  ),
  expires_at: expiresAt,
  truncated: v.exactOptional(truncated),
})

export const failedSearch = describeObject(
  'A search that failed. It is not retried: correct the cause and create another.',
  {
    ...searchBase,
    status: describeValue(v.literal('failed'), 'The search failed or was cancelled; this never changes.', 'failed'),
    error: failureText,
  },
)

export const search = v.pipe(
  v.variant('status', [runningSearch, completedSearch, failedSearch]),
  v.description('A search. Which fields it has depends on its `status`.'),
)
