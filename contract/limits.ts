/** Limits of requests, stated once for the parsers, the published schemas and the page. */

/** Maximum number of fee schedules of a search. `contract/filters.ts` has the limits of its other lists. */
export const maxFeeSchedules = 200

/** Most rows that the `limit` of a search can ask for. */
export const maxResultRows = 1_000_000

/** Greatest `max_bytes` of a search: more than a workgroup of Athena may read. */
export const maxMaxBytes = 1_000_000_000_000_000

/** Longest `wait` of a call, in seconds: API Gateway gives up after 29, and URLs are signed afterwards. */
export const maxWaitSeconds = 20

/** Maximum length of a requested billing code in characters. */
export const maxBillingCodeLength = 64

/** Longest name of a payer or plan, in Unicode code points. */
export const maxNameLength = 200

/** The market types of plans. Source: CMS schema, `plan_market_type`. */
export const marketTypes = ['group', 'individual'] as const

/** Longest plan id of a request, as written. */
export const maxPlanIdLength = 50

/** A plan id as requests may write it: `12-3456789`, `ein|123456789`, a HIOS id. */
export const writtenPlanId = /^ *(?:(?:ein|hios|id|EIN|HIOS|ID)\|)?[ -]*[A-Za-z0-9._/#*][A-Za-z0-9 ._/#*-]*$/

/** The id of a search: a UUIDv4. */
export const writtenJobId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Start of each API key, by which secret scanners recognize one. */
export const keyPrefix = 'rates_'

/** Lengths of the parts of an API key, in Base62 characters: 30 are 178 bits of secret, 6 hold a CRC32. */
export const keyParts = { orgId: 12, keyId: 8, secret: 30, checksum: 6 } as const

/** An API key, with its parts as groups. */
export const writtenKey = new RegExp(
  `^${keyPrefix}${Object.entries(keyParts)
    .map(([part, length]) => `(?<${part}>\\w{${length}})`)
    .join('')}$`,
)

/** Maximum length of an `Idempotency-Key`. Source: Stripe API reference, "Idempotent requests". */
export const maxIdempotencyKeyLength = 255

/** Items of a list in one answer. */
export interface PageLimits {
  readonly max: number
  readonly default: number
}

export const feeSchedulePages: PageLimits = { max: 1000, default: 100 }

export const billingCodePages: PageLimits = { max: 100, default: 20 }

/** The code set has under a thousand specialties. */
export const specialtyPages: PageLimits = { max: 1000, default: 100 }

/** Providers that are found at once; a search takes more NPIs, but nobody reads more names. */
export const providerPages: PageLimits = { max: 50, default: 20 }

/** Rows of a result in one answer. */
export const rowPages: PageLimits = { max: 1000, default: 100 }

export const searchPages: PageLimits = { max: 100, default: 50 }

/** Maximum number of values that the list of searches names of each filter; the others are counted. */
export const maxListedValues = 8

/** Maximum number of fee schedules that the list names of a search; their names are longer. */
export const maxListedPlans = 3

/** Maximum number of faults in an answer; the others are counted in one more. */
export const maxFaults = 100

/** Maximum size of a body in bytes: far more than the longest lists of a search need. */
export const maxBodyBytes = 1024 * 1024

/**
 * Maximum length of a query in bytes of UTF-8. Source: Athena API, StartQueryExecution, QueryString; not adjustable.
 */
export const maxStatementBytes = 262_144

/** A limit as texts write it: `10,000`. */
export const writeLimit = (limit: number) => limit.toLocaleString('en-US')
