// Written by `npm run schema` from docs/openapi.json: change contract/ instead.

/** The rates to search for. At least one of `npis`, `tins`, `billing_codes`, `networks` and `providers` is required; those left out mean all, and a rate must match all that are named. The whole request has at most 1 MiB, no field twice in an object, and no other field: a misspelt filter must not widen a search. Lists that are together too long for a query (262,144 bytes) are refused with 400, naming the one to shorten. */
export interface SearchRequest {
  /** Providers by NPI: 1 to 10,000 integers of ten digits, written without fraction or exponent. 0 means rates agreed with a whole TIN. Left out: all providers. */
  readonly npis?: readonly number[]
  /** Providers by TIN: 1 to 2,000 strings of digits, since leading zeros carry meaning; hyphens are ignored. With `tins` and without `npis`, rates agreed for a whole TIN are found too; with `npis` only if 0 is among them. Left out: all TINs. */
  readonly tins?: readonly string[]
  /** Billing codes (CPT, HCPCS, MS-DRG, revenue codes and others): 1 to 2,000 strings, since leading zeros carry meaning. Upper and lower case are the same. Left out: all codes. */
  readonly billing_codes?: readonly string[]
  /** Networks, as rows name them. 1 to 200 names, exactly as they are. Rates that name no network never match. Rows keep the names of all of their networks. Left out: all rates. */
  readonly networks?: readonly string[]
  readonly providers?: Providers
  /** The fee schedules to search: pairs of payer and plan, or plan ids. 1 to 200 of them, and at most 200 fee schedules altogether. */
  readonly fee_schedules: readonly (FeeSchedule | PlansOfId)[]
  /** A day, `YYYY-MM-DD`, of today or before: reads what searches read at its end in UTC. Left out, or today: what is active when the search begins. `changed_on` of `GET /v1/fee-schedules` says what there is; a search of a day that is not kept fails with `not_kept`. */
  readonly as_of?: string
  /** Names of the columns that the result has, in any order; its files have them in the order of the whole result. Columns leave out values, not rows: rows that are then alike stay apart. Left out: all columns. Refused with `summary`. */
  readonly columns?: readonly string[]
  /** The most rows that the result has, 1 to 1,000,000. They are any of the rows, in no order, and another search may have others; `truncated` says if there were more. Left out: all rows. Refused with `summary`. */
  readonly limit?: number
  /** The most bytes that the search may read. It is refused with 400, which names the figure, if by its estimate it would read more, or if that is not known. Left out: what the operator allows. */
  readonly max_bytes?: number
  readonly summary?: Summary
}

/** A payer and one of its plans. */
export interface FeeSchedule {
  /** Name of the payer, as `GET /v1/fee-schedules` lists it. 1 to 200 code points in Unicode NFC, without control characters and characters that nobody sees. White space at both ends is ignored, and a run of it is one space. */
  readonly payer: string
  /** Name of one of the payer's plans, under the same rules as the payer's. */
  readonly plan: string
}

/** Every fee schedule that has this plan id when the search begins: several plans may share an EIN. */
export interface PlansOfId {
  /** An EIN, with its hyphen or without, or a HIOS id; as lists have it (`ein|041234567`), only of that type. */
  readonly plan_id: string
}

/** Providers by where their practice is, and by their primary specialty, as NPPES has them; upper and lower case are the same. A provider must match every list. Rates agreed for a whole TIN (NPI 0) and NPIs that NPPES does not have never match. Refused with 400 before the operator has loaded NPPES. */
export interface Providers {
  /** 1 to 60 strings, each a state or territory of two letters. Left out: all. */
  readonly states?: readonly string[]
  /** 1 to 2,000 strings, each a ZIP code of five digits, without its +4. Left out: all. */
  readonly zips?: readonly string[]
  /** 1 to 200 strings, each an NUCC taxonomy code of ten letters and digits. Left out: all. */
  readonly taxonomies?: readonly string[]
}

/** Asks for statistics in place of rows. A row for each payer, plan, code, modifiers, unit, terms and place of service, with the number of values, percentiles and counts. `{}` means all defaults. */
export interface Summary {
  /** The thing that counts once: `tins`, each TIN once for each amount, however many prices or files say so; `prices`, each published price once; `npis`, each NPI once for each amount, without NPI 0. Left out: `tins`. */
  readonly weight?: 'tins' | 'prices' | 'npis'
  /** The dimensions that divide rows in addition to payer, plan, code, modifiers, unit, terms and place of service. `state`, `zip` and `taxonomy` are those of providers, and need NPPES. */
  readonly by?: readonly ('state' | 'zip' | 'taxonomy' | 'network' | 'npi' | 'tin')[]
  /** True to count prices with the flags `placeholder`, `outlier_high` and `outlier_low`, which are left out otherwise. */
  readonly include_doubtful?: boolean
  /** True to count the distinct NPIs of each row. */
  readonly count_providers?: boolean
  /** Keeps the first `limit` rows by their medians: who is paid most or least, with `"by": ["tin"]`. Rows are ranked within each plan, code, modifiers, unit and class. Needs `limit`. */
  readonly order?: 'highest' | 'lowest'
  /** The most ranks, 1 to 1,000. They are kept for each plan, code, modifiers, unit and class. Rows that share the last rank are all kept, and rows that differ only in their place of service count as one; `truncated` says if there were more. Needs `order`. */
  readonly limit?: number
}

/** A search. Which fields it has depends on its `status`. */
export type Search = RunningSearch | CompletedSearch | FailedSearch

/** A search that has not ended. Ask again after `Retry-After` seconds. */
export interface RunningSearch {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** Absolute address of this search. */
  readonly status_url: string
  readonly summary?: AppliedSummary
  /** `queued` until the search starts to run, then `processing`. */
  readonly status: 'queued' | 'processing'
}

/** A search with its result: all files together, which share one schema. */
export interface CompletedSearch {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** Absolute address of this search. */
  readonly status_url: string
  readonly summary?: AppliedSummary
  /** The search has its result; this never changes. */
  readonly status: 'completed'
  /** When the search completed: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly completed_at: string
  /** One pre-signed URL for each Parquet file of the result, 1 to 1,000; each file has at most 1 GB. Download with GET and without an `Authorization` header. Signed anew for each answer: do not store them. */
  readonly download_urls: readonly string[]
  /** When every URL of this answer stops working, about an hour after the answer. Ask again for fresh URLs. */
  readonly expires_at: string
  /** True if the search has more rows than its `limit`, so that the result has only some of them; false if the result has every row. Present if the search has a `limit`. */
  readonly truncated?: boolean
}

/** A search that failed. It is not retried: correct the cause and create another. */
export interface FailedSearch {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** Absolute address of this search. */
  readonly status_url: string
  readonly summary?: AppliedSummary
  /** The search failed or was cancelled; this never changes. */
  readonly status: 'failed'
  /** The reason why the search failed: a word that programs can branch on, a colon, and a sentence for people. The words are listed under "Reasons why a search fails". */
  readonly error: string
}

/** The request of a search and the rates that it read. Its fields depend on its `status`. */
export type Manifest = RunningManifest | CompletedManifest | FailedManifest

/** The request of a search that has not ended, and the rates that it reads. */
export interface RunningManifest {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** When the search started to run; absent if it never did, or if that was not recorded. */
  readonly processing_at?: string
  readonly request: AppliedRequest
  /** The attempts that have ended, in order. */
  readonly attempts: readonly ManifestAttempt[]
  /** The fee schedules as the search reads them; empty until it has chosen them. */
  readonly fee_schedules: readonly ManifestFeeSchedule[]
  /** Month of the NPPES file with the names and places of providers that the search reads beside the rates; null if none was loaded, and until the search has chosen it. */
  readonly nppes_month: string | null
  /** `queued` until the search starts to run, then `processing`. */
  readonly status: 'queued' | 'processing'
}

/** The request of a completed search, the rates that it read, and its result. */
export interface CompletedManifest {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** When the search started to run; absent if it never did, or if that was not recorded. */
  readonly processing_at?: string
  readonly request: AppliedRequest
  /** The attempts that have ended, in order. */
  readonly attempts: readonly ManifestAttempt[]
  /** The fee schedules as the search reads them; empty until it has chosen them. */
  readonly fee_schedules: readonly ManifestFeeSchedule[]
  /** Month of the NPPES file with the names and places of providers that the search reads beside the rates; null if none was loaded, and until the search has chosen it. */
  readonly nppes_month: string | null
  /** The search has its result. */
  readonly status: 'completed'
  /** When the search completed: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly completed_at: string
  /** Rows of the result. */
  readonly rows: number
  /** Size of all files of the result, in bytes. */
  readonly bytes: number
  /** True if the search has more rows than its `limit`, so that the files have only some of them; false if they have every row. */
  readonly truncated: boolean
  /** For each of the lists `npis`, `tins` and `billing_codes` of `request`, its values that no row of the result has, in the same form and order; null if that is not known, as for a truncated result. */
  readonly without_rows: ManifestWithoutRows | null
  /** The columns of every file, in order; null if they have changed since the search completed. */
  readonly columns: readonly ResultColumn[] | null
  /** The files of the result, in order. */
  readonly shards: readonly ManifestShard[]
  /** When every URL of this answer stops working, about an hour after the answer. Ask again for fresh URLs. */
  readonly expires_at: string
  /** Until when the search and its files are kept. */
  readonly results_until: string
}

/** The request of a search that failed, and the rates that it read. */
export interface FailedManifest {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** When the search started to run; absent if it never did, or if that was not recorded. */
  readonly processing_at?: string
  readonly request: AppliedRequest
  /** The attempts that have ended, in order. */
  readonly attempts: readonly ManifestAttempt[]
  /** The fee schedules as the search reads them; empty until it has chosen them. */
  readonly fee_schedules: readonly ManifestFeeSchedule[]
  /** Month of the NPPES file with the names and places of providers that the search reads beside the rates; null if none was loaded, and until the search has chosen it. */
  readonly nppes_month: string | null
  /** The search failed or was cancelled. */
  readonly status: 'failed'
  /** When the search failed or was cancelled. */
  readonly failed_at: string
  /** The reason why the search failed: a word that programs can branch on, a colon, and a sentence for people. The words are listed under "Reasons why a search fails". */
  readonly error: string
}

/** The request as applied: normalised, sorted, without duplicates. */
export interface AppliedRequest {
  /** Providers by NPI: 1 to 10,000 integers of ten digits, written without fraction or exponent. 0 means rates agreed with a whole TIN. Left out: all providers. */
  readonly npis?: readonly number[]
  /** Providers by TIN: 1 to 2,000 strings of digits, since leading zeros carry meaning; hyphens are ignored. With `tins` and without `npis`, rates agreed for a whole TIN are found too; with `npis` only if 0 is among them. Left out: all TINs. */
  readonly tins?: readonly string[]
  /** Billing codes (CPT, HCPCS, MS-DRG, revenue codes and others): 1 to 2,000 strings, since leading zeros carry meaning. Upper and lower case are the same. Left out: all codes. */
  readonly billing_codes?: readonly string[]
  /** Networks, as rows name them. 1 to 200 names, exactly as they are. Rates that name no network never match. Rows keep the names of all of their networks. Left out: all rates. */
  readonly networks?: readonly string[]
  readonly providers?: AskedProviders
  /** The fee schedules that it names. */
  readonly fee_schedules: readonly AskedFeeSchedule[]
  /** A day, `YYYY-MM-DD`, of today or before: reads what searches read at its end in UTC. Left out, or today: what is active when the search begins. `changed_on` of `GET /v1/fee-schedules` says what there is; a search of a day that is not kept fails with `not_kept`. */
  readonly as_of?: string
  /** Names of the columns that the result has, in any order; its files have them in the order of the whole result. Columns leave out values, not rows: rows that are then alike stay apart. Left out: all columns. Refused with `summary`. */
  readonly columns?: readonly string[]
  /** The most rows that the result has, 1 to 1,000,000. They are any of the rows, in no order, and another search may have others; `truncated` says if there were more. Left out: all rows. Refused with `summary`. */
  readonly limit?: number
  /** The most bytes that the search may read. It is refused with 400, which names the figure, if by its estimate it would read more, or if that is not known. Left out: what the operator allows. */
  readonly max_bytes?: number
  readonly summary?: AppliedSummary
}

/** A query of the search that has ended. */
export interface ManifestAttempt {
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** The end of its query; `cancelled` if the search failed before that was known, which stops a query that still runs. */
  readonly outcome: 'succeeded' | 'failed' | 'cancelled'
  /** Bytes that its query read, by which Athena bills; null if that is not known. */
  readonly bytes_scanned: number | null
}

/** A fee schedule as the search reads it. */
export interface ManifestFeeSchedule {
  /** Name of the payer. */
  readonly payer: string
  /** Name of the plan. */
  readonly plan: string
  /** When the rates that the search reads were loaded; null over an own relation of the operator, and once they have been replaced and removed. */
  readonly loaded_at: string | null
  /** Date of the newest published file (`YYYY-MM-DD`); null if no file has one, or in a manifest if that is not known. */
  readonly last_updated_on: string | null
  /** True if some of the files that the payer lists for this plan were missing when it was loaded; null when `loaded_at` is. */
  readonly partial: boolean | null
  /** True if `name` and `description` are null because they were left out when some of its files were loaded; null when `loaded_at` is. */
  readonly without_descriptions: boolean | null
  /** True once a new search would read other rates of this plan, or the plan was removed; null over an own relation of the operator. */
  readonly superseded: boolean | null
  /** Number of published files that they come from; null when `loaded_at` is. */
  readonly file_count: number | null
  /** Number of ids that were published for this plan; null over an own relation of the operator, and once the plan has other rates than the search read. */
  readonly plan_id_count: number | null
  /** All of these ids; null when `plan_id_count` is, and for plans with which the manifest would have more than 20,000. */
  readonly plan_ids: readonly string[] | null
}

/** One file of a result. */
export interface ManifestShard {
  /** Name of the file, the same in every answer: letters, digits, `.`, `_` and `-`, ending in `.parquet`. */
  readonly name: string
  /** Rows of this file. */
  readonly rows: number
  /** Size of this file in bytes, at most 1 GB. */
  readonly bytes: number
  /** Checksum of this file; null if the storage has none. */
  readonly checksum: Checksum | null
  /** Pre-signed URL, as in `download_urls`. */
  readonly url: string
}

/** The values of each list of the request that no row of the result has. */
export interface ManifestWithoutRows {
  /** NPIs that no row has. */
  readonly npis?: readonly number[]
  /** TINs that no row has. */
  readonly tins?: readonly string[]
  /** Billing codes that no row has. */
  readonly billing_codes?: readonly string[]
}

/** Checksum of a file. */
export interface Checksum {
  /** The algorithm, in the words of Amazon S3. */
  readonly algorithm: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256'
  /** The kind of checksum: that of the whole file, or one made of the checksums of the parts that it was uploaded in. */
  readonly type: 'FULL_OBJECT' | 'COMPOSITE'
  /** The checksum in base64, as Amazon S3 computed it. */
  readonly value: string
}

/** A column of the result. */
export interface ResultColumn {
  /** Name of the column. */
  readonly name: string
  /** Its type, as Trino writes it. */
  readonly type: string
}

/** Rows of a completed search. */
export interface ResultRows {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  readonly summary?: AppliedSummary
  /** The columns of these rows, in order. */
  readonly columns: readonly ResultColumn[]
  /** The rows. */
  readonly rows: readonly ResultRow[]
  /** Number of rows in the whole result. */
  readonly rows_total: number
  /** True if the search has more rows than this answer: the result has, or its own `limit` has cut them off. */
  readonly truncated: boolean
  /** True for the first rows in the order of summaries; false for any rows, which come in no order, as those of a result. */
  readonly ordered: boolean
}

/** A row: the value of each column by its name. Amounts (`decimal(18,4)`) are texts with all of their digits, such as "361.25"; NPIs and counts are numbers, dates `YYYY-MM-DD`, lists arrays, and NULL is null. */
export type ResultRow = Readonly<Record<string, string | number | readonly (string | null)[] | null>>

/** One page of the fee schedules that can be searched. */
export interface FeeSchedulesPage {
  /** One page; the plans of a payer come together, ordered by plan. */
  readonly fee_schedules: readonly CatalogueEntry[]
  /** The lists of `providers` that a search can have: `states`, `zips` and `taxonomies` once the operator has loaded NPPES; over an own relation of the operator, those that it has columns for. */
  readonly provider_lists: readonly string[]
  /** The value of `cursor` for the next page; null on the last one. Opaque, and bound to the filter that it was given for. */
  readonly next_cursor: string | null
}

/** A fee schedule that can be searched. */
export interface CatalogueEntry {
  /** Name of the payer, as a search takes it. */
  readonly payer: string
  /** Name of the plan, as a search takes it. */
  readonly plan: string
  /** The plan ids of this fee schedule, `ein|…` or `hios|…`, sorted, with their leading zeros; empty if there are none or more than 32. */
  readonly plan_ids: readonly string[]
  /** Number of plan ids that the fee schedule has. */
  readonly plan_id_count: number
  /** Date of the newest published file (`YYYY-MM-DD`); null if no file has one, or in a manifest if that is not known. */
  readonly last_updated_on: string | null
  /** True if some of the files that the payer lists for this plan were missing when it was loaded. */
  readonly partial: boolean
  /** Names of the employers or others that sponsor it, as published: sorted, at most 20; empty if no file says, or if it was loaded before this was recorded. */
  readonly plan_sponsor_names: readonly string[]
  /** Its markets in lower case, `group` or `individual`, as published: sorted, at most 20; empty if no file says, or if it was loaded before this was recorded. */
  readonly plan_market_types: readonly string[]
  /** Its issuers, as published: sorted, at most 20; empty if no file says, or if it was loaded before this was recorded. */
  readonly issuer_names: readonly string[]
  /** The networks of its files' provider groups, as published: sorted, at most 20; empty if no file says, or if it was loaded before this was recorded. */
  readonly network_names: readonly string[]
  /** Its types of product, as published: sorted, at most 20; empty if no file says, or if it was loaded before this was recorded. */
  readonly product_types: readonly string[]
  /** The days (UTC) on which what searches read of it changed, ascending, as far back as contents are kept; a search with `as_of` of the day before one reads what was replaced on it. Empty over an own relation. */
  readonly changed_on: readonly string[]
}

/** One page of the billing codes that a text finds. */
export interface BillingCodesPage {
  /** One page, ordered by type and code. Empty if no loaded file names such a code. */
  readonly billing_codes: readonly NamedBillingCode[]
  /** The value of `cursor` for the next page; null on the last one. Opaque, and bound to the filter that it was given for. */
  readonly next_cursor: string | null
}

/** A billing code with a name under which loaded files list it. */
export interface NamedBillingCode {
  /** Type of the code, in upper case. */
  readonly billing_code_type: string
  /** The code, as a search takes it. */
  readonly billing_code: string
  /** Name of the code as published: of the names with all words of `q`, the one that most payers write, and of equally common ones the shortest. */
  readonly name: string
  /** Number of payers whose files write this name for the code. */
  readonly publisher_count: number
}

/** One page of the specialties that a text finds. */
export interface SpecialtiesPage {
  /** One page, ordered by code. Empty if nothing matches, or if the operator has loaded none. */
  readonly specialties: readonly Specialty[]
  /** The value of `cursor` for the next page; null on the last one. Opaque, and bound to the filter that it was given for. */
  readonly next_cursor: string | null
}

/** A specialty of providers, from the code set that the operator has loaded. */
export interface Specialty {
  /** The taxonomy code, as `providers.taxonomies` of a search takes it. */
  readonly code: string
  /** Name of the specialty. */
  readonly name: string
  /** The group that it belongs to. */
  readonly grouping: string
}

/** The providers that match. */
export interface FoundProviders {
  /** The providers, ordered by state, ZIP code and name. Empty if none matches, or if none was found within the limits. */
  readonly providers: readonly NamedProvider[]
  /** The month of NPPES that was looked at, which new searches read too. */
  readonly nppes_month: string
  /** True if these are all providers that match. */
  readonly complete: boolean
  /** The limit at which the call stopped before it had looked at everything: `limit`, as more match; `bytes` (16 MB) or `time` (10 seconds), as more may match. Null if `complete`. Ask for a ZIP code, or for more words. */
  readonly stopped_by: 'limit' | 'bytes' | 'time' | null
}

/** A provider of the month of NPPES that searches read. */
export interface NamedProvider {
  /** The NPI, as `npis` of a search takes it. */
  readonly npi: number
  /** Name of the organization, or first, middle and last name of the person. */
  readonly name: string | null
  /** Code of the primary specialty, as `providers.taxonomies` of a search takes it. */
  readonly taxonomy: string | null
  /** Name of the specialty; null if the operator has not loaded names of specialties, or not this one. */
  readonly specialty: string | null
  /** City of the practice location. */
  readonly city: string | null
  /** State or territory of the practice location; abroad as it was written. */
  readonly state: string | null
  /** The five digits of the ZIP code of the practice location, in the United States only. */
  readonly zip: string | null
}

/** One page of the searches of an organization. With a filter a page can be short or empty, and still not be the last. */
export interface SearchesPage {
  /** One page, the newest search first. */
  readonly searches: readonly SearchListItem[]
  /** The value of `cursor` for the next page; null on the last one. Opaque, and bound to the filter that it was given for. */
  readonly next_cursor: string | null
}

/** A search in a list. Ask for the search itself to get its URLs. */
export type SearchListItem = QueuedListItem | ProcessingListItem | CompletedListItem | FailedListItem

/** A search in a list that waits to run. */
export interface QueuedListItem {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** Number of fee schedules that the search names. */
  readonly fee_schedule_count: number
  readonly first_fee_schedule: AskedFeeSchedule
  /** The fee schedules after the first, so that lists can tell searches apart; absent if there are none, and from searches that were created before lists had them. */
  readonly next_fee_schedules?: readonly AskedFeeSchedule[]
  /** The other filters of the search, so that lists can tell searches apart; absent from searches that were created before lists had it. */
  readonly filters?: readonly ListedFilter[]
  /** The day of the search, if it names one. */
  readonly as_of?: string
  readonly summary?: AppliedSummary
  /** The search has not started to run. */
  readonly status: 'queued'
}

/** A search in a list that runs. */
export interface ProcessingListItem {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** Number of fee schedules that the search names. */
  readonly fee_schedule_count: number
  readonly first_fee_schedule: AskedFeeSchedule
  /** The fee schedules after the first, so that lists can tell searches apart; absent if there are none, and from searches that were created before lists had them. */
  readonly next_fee_schedules?: readonly AskedFeeSchedule[]
  /** The other filters of the search, so that lists can tell searches apart; absent from searches that were created before lists had it. */
  readonly filters?: readonly ListedFilter[]
  /** The day of the search, if it names one. */
  readonly as_of?: string
  readonly summary?: AppliedSummary
  /** The search runs. */
  readonly status: 'processing'
  /** When the search started to run; absent if it never did, or if that was not recorded. */
  readonly processing_at: string
}

/** A completed search in a list. */
export interface CompletedListItem {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** Number of fee schedules that the search names. */
  readonly fee_schedule_count: number
  readonly first_fee_schedule: AskedFeeSchedule
  /** The fee schedules after the first, so that lists can tell searches apart; absent if there are none, and from searches that were created before lists had them. */
  readonly next_fee_schedules?: readonly AskedFeeSchedule[]
  /** The other filters of the search, so that lists can tell searches apart; absent from searches that were created before lists had it. */
  readonly filters?: readonly ListedFilter[]
  /** The day of the search, if it names one. */
  readonly as_of?: string
  readonly summary?: AppliedSummary
  /** The search has its result. */
  readonly status: 'completed'
  /** When the search started to run; absent if it never did, or if that was not recorded. */
  readonly processing_at: string
  /** When the search completed: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly completed_at: string
  /** Rows of the result. */
  readonly rows: number
  /** Size of all files of the result, in bytes. */
  readonly bytes: number
  /** True if the search has more rows than its `limit`, so that the result has only some of them; false if the result has every row. Present if the search has a `limit`. */
  readonly truncated?: boolean
}

/** A search in a list that failed or was cancelled. */
export interface FailedListItem {
  /** Identifier of the search, a UUIDv4. */
  readonly job_id: string
  /** When the search was created: ISO 8601 in UTC, with milliseconds and a numeric offset. */
  readonly created_at: string
  /** Number of fee schedules that the search names. */
  readonly fee_schedule_count: number
  readonly first_fee_schedule: AskedFeeSchedule
  /** The fee schedules after the first, so that lists can tell searches apart; absent if there are none, and from searches that were created before lists had them. */
  readonly next_fee_schedules?: readonly AskedFeeSchedule[]
  /** The other filters of the search, so that lists can tell searches apart; absent from searches that were created before lists had it. */
  readonly filters?: readonly ListedFilter[]
  /** The day of the search, if it names one. */
  readonly as_of?: string
  readonly summary?: AppliedSummary
  /** The search failed or was cancelled. */
  readonly status: 'failed'
  /** When the search started to run; absent if it never did, or if that was not recorded. */
  readonly processing_at?: string
  /** When the search failed or was cancelled. */
  readonly failed_at: string
  /** The reason why the search failed: a word that programs can branch on, a colon, and a sentence for people. The words are listed under "Reasons why a search fails". */
  readonly error: string
}

/** A payer and one of its plans. */
export interface NamedFeeSchedule {
  /** Name of the payer. */
  readonly payer: string
  /** Name of the plan. */
  readonly plan: string
}

/** The name of rates in a search: a payer and one of its plans, or a plan id. */
export type AskedFeeSchedule = NamedFeeSchedule | AskedPlansOfId

/** Every fee schedule that has this plan id when the search begins. */
export interface AskedPlansOfId {
  /** The plan id, without hyphens and spaces. */
  readonly plan_id: string
}

/** The lists of providers of a search. */
export interface AskedProviders {
  /** 1 to 60 strings, each a state or territory of two letters. Left out: all. */
  readonly states?: readonly string[]
  /** 1 to 2,000 strings, each a ZIP code of five digits, without its +4. Left out: all. */
  readonly zips?: readonly string[]
  /** 1 to 200 strings, each an NUCC taxonomy code of ten letters and digits. Left out: all. */
  readonly taxonomies?: readonly string[]
}

/** A filter of a search in a list. */
export interface ListedFilter {
  /** Name of the list in a request: `billing_codes`, `npis`, `tins`, `networks`; of `providers`: `states`, `zips`, `taxonomies`. */
  readonly name: string
  /** Number of its values. */
  readonly count: number
  /** The first of its values, at most 8, each as text; sorted. */
  readonly first: readonly string[]
}

/** The options of a summary, with the defaults filled in; absent for a search for rows. */
export interface AppliedSummary {
  /** The thing that counts once: `tins`, each TIN once for each amount, however many prices or files say so; `prices`, each published price once; `npis`, each NPI once for each amount, without NPI 0. Left out: `tins`. */
  readonly weight: 'tins' | 'prices' | 'npis'
  /** The dimensions that divide rows in addition to payer, plan, code, modifiers, unit, terms and place of service. `state`, `zip` and `taxonomy` are those of providers, and need NPPES. */
  readonly by: readonly ('state' | 'zip' | 'taxonomy' | 'network' | 'npi' | 'tin')[]
  /** True to count prices with the flags `placeholder`, `outlier_high` and `outlier_low`, which are left out otherwise. */
  readonly include_doubtful?: boolean
  /** True to count the distinct NPIs of each row. */
  readonly count_providers?: boolean
  /** Keeps the first `limit` rows by their medians: who is paid most or least, with `"by": ["tin"]`. Rows are ranked within each plan, code, modifiers, unit and class. Needs `limit`. */
  readonly order?: 'highest' | 'lowest'
  /** The most ranks, 1 to 1,000. They are kept for each plan, code, modifiers, unit and class. Rows that share the last rank are all kept, and rows that differ only in their place of service count as one; `truncated` says if there were more. Needs `order`. */
  readonly limit?: number
}

/** The files and bytes that a search would read. Nothing is started. */
export interface Estimate {
  /** Every fee schedule of the request. */
  readonly fee_schedules: readonly EstimatedFeeSchedule[]
  /** Number of distinct published files that the search would read, with that of NPPES if it is loaded; 0 if it would fail, as `exists` or `warnings` say; null over an own relation of the operator, or if its fee schedules have more than 100,000 files together. */
  readonly files: number | null
  /** The most bytes that the search would read in the warehouse: all of the prices, provider groups and lists of its fee schedules, and as much of NPPES as it needs. A summary reads the terms of prices three times, which this counts once. It is null if `files` is, or if one was loaded before sizes were recorded. */
  readonly bytes: number | null
  /** True over an own relation of the operator, whose size nobody knows; absent over loaded rates. */
  readonly own_relation?: boolean
  readonly summary?: AppliedSummary
  /** Size of its query in bytes, at most; a search of more than 262,144 is refused. */
  readonly statement_bytes: number
  /** Values that are allowed but look wrong: NPIs with a wrong check digit, and fee schedules that were loaded only in another part. */
  readonly warnings: readonly Fault[]
}

/** A fee schedule of the request. */
export interface EstimatedFeeSchedule {
  /** Name of the payer, normalised. */
  readonly payer: string
  /** Name of the plan, normalised. */
  readonly plan: string
  /** True if this fee schedule can be searched. */
  readonly exists: boolean
  /** Fee schedules that may have been meant if this one cannot be searched, the nearest first: plans with similar names, or the variants of a plan whose name alone is ambiguous. Looked up for the first ten; at most ten each. */
  readonly nearest: readonly NamedFeeSchedule[]
}

/** The body of every answer that is not a success. */
export interface ErrorBody {
  readonly error: ServiceError
}

/** An error. */
export interface ServiceError {
  /** The type of error, which decides the HTTP status. */
  readonly type: 'invalid_request' | 'unauthorized' | 'forbidden' | 'not_permitted' | 'not_found' | 'method_not_allowed' | 'conflict' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_mismatch' | 'rate_limited' | 'internal_error'
  /** The fault and its remedy, for people. */
  readonly message: string
  /** Identifier of this request, the same as in `X-Request-Id`: quote it to support. */
  readonly request_id: string
  /** Every fault of the request at once; with `rate_limited`, the searches that have not ended. After 100, how many more there are. */
  readonly details?: readonly Fault[]
}

/** One fault of a request. */
export interface Fault {
  /** Its place in the body, or the name of a parameter or header; empty for the body as a whole. */
  readonly path: string
  /** The rule and the value that broke it. */
  readonly message: string
}

/** The method and the path of each call. */
export const routes = {
  'create-search': { method: 'POST', path: '/v1/searches' },
  'list-searches': { method: 'GET', path: '/v1/searches' },
  'get-search': { method: 'GET', path: '/v1/searches/{job_id}' },
  'delete-search': { method: 'DELETE', path: '/v1/searches/{job_id}' },
  'get-manifest': { method: 'GET', path: '/v1/searches/{job_id}/manifest' },
  'get-rows': { method: 'GET', path: '/v1/searches/{job_id}/rows' },
  'cancel-search': { method: 'POST', path: '/v1/searches/{job_id}/cancel' },
  'estimate-search': { method: 'POST', path: '/v1/estimates' },
  'list-fee-schedules': { method: 'GET', path: '/v1/fee-schedules' },
  'list-billing-codes': { method: 'GET', path: '/v1/billing-codes' },
  'list-specialties': { method: 'GET', path: '/v1/specialties' },
  'list-providers': { method: 'GET', path: '/v1/providers' },
} as const

/** The greatest numbers that parameters of calls can have. */
export const greatest = {
  'list-searches': { limit: 100 },
  'get-search': { wait: 20 },
  'get-rows': { limit: 1000 },
  'list-fee-schedules': { limit: 1000 },
  'list-billing-codes': { limit: 100 },
  'list-specialties': { limit: 1000 },
  'list-providers': { limit: 50 },
} as const

type Nothing = Readonly<Record<string, never>>
interface NoParts { readonly path: Nothing; readonly query: Nothing; readonly headers: Nothing; readonly body: undefined }
type Call<Parts> = Omit<NoParts, keyof Parts> & Parts

/** The parameters, the body and the answer of each call. */
export interface Calls {
  /** Create a search */
  readonly 'create-search': Call<{
    readonly headers: {
      /** Makes it safe to send the search again: the same key with the same search is the same job, for as long as the job is kept. 1 to 255 visible ASCII characters without spaces, best a UUID. */
      readonly 'Idempotency-Key'?: string
    }
    readonly body: SearchRequest
    readonly answer: RunningSearch
  }>
  /** List searches */
  readonly 'list-searches': Call<{
    readonly query: {
      /** Only searches in this state. */
      readonly status?: 'queued' | 'processing' | 'completed' | 'failed'
      /** Maximum number of searches in a page. */
      readonly limit?: number
      /** The `next_cursor` of the page before, with the same filter; left out for the first page. */
      readonly cursor?: string
    }
    readonly answer: SearchesPage
  }>
  /** Get a search */
  readonly 'get-search': Call<{
    readonly path: { readonly job_id: string }
    readonly query: {
      /** Seconds to wait for the end of the search, 0 to 20. A call that waits may still answer earlier with a search that has not ended: ask again. */
      readonly wait?: number
    }
    readonly headers: {
      /** Tags of answers that the client has, with commas between them, or `*` for any: if the answer would have one of them, it is 304 without a body. */
      readonly 'If-None-Match'?: string
    }
    readonly answer: Search
  }>
  /** Delete a search */
  readonly 'delete-search': Call<{
    readonly path: { readonly job_id: string }
    readonly answer: undefined
  }>
  /** Get the manifest of a search */
  readonly 'get-manifest': Call<{
    readonly path: { readonly job_id: string }
    readonly headers: {
      /** Tags of answers that the client has, with commas between them, or `*` for any: if the answer would have one of them, it is 304 without a body. */
      readonly 'If-None-Match'?: string
    }
    readonly answer: Manifest
  }>
  /** Get rows of a search */
  readonly 'get-rows': Call<{
    readonly path: { readonly job_id: string }
    readonly query: {
      /** Maximum number of rows in the answer, 1 to 1,000. It can have fewer, because it reads a bounded number of bytes; `truncated` says if there are more. */
      readonly limit?: number
      /** Names of columns of the result with commas between them, in the order that they shall have. Left out: all columns. */
      readonly columns?: string
      /** Form of the answer. Left out: `csv` if `Accept` asks for `text/csv` and not for JSON, else `json`. */
      readonly format?: 'json' | 'csv'
    }
    readonly answer: ResultRows
  }>
  /** Cancel a search */
  readonly 'cancel-search': Call<{
    readonly path: { readonly job_id: string }
    readonly answer: FailedSearch
  }>
  /** Estimate a search */
  readonly 'estimate-search': Call<{
    readonly body: SearchRequest
    readonly answer: Estimate
  }>
  /** List fee schedules */
  readonly 'list-fee-schedules': Call<{
    readonly query: {
      /** Name of the payer, as `GET /v1/fee-schedules` lists it. 1 to 200 code points in Unicode NFC, without control characters and characters that nobody sees. White space at both ends is ignored, and a run of it is one space. */
      readonly payer?: string
      /** Only fee schedules with all of these words in payer, plan, sponsors or plan ids, in any order, case and accents; the beginning of a word is enough, and a wrong letter is forgiven in a word that nothing has. With `payer`, the words of the payer do not count. The same rules as for names apply. */
      readonly q?: string
      /** Only fee schedules with this plan id, whatever else shares it: an EIN with its hyphen or without, or a HIOS id; as lists have it (`ein|041234567`), only of that type. */
      readonly plan_id?: string
      /** Only fee schedules with all of these words in one or several of their sponsors, read as `q` is. */
      readonly sponsor?: string
      /** Only fee schedules of this market type. */
      readonly market?: 'group' | 'individual'
      /** Maximum number of fee schedules in a page. */
      readonly limit?: number
      /** The `next_cursor` of the page before, with the same filter; left out for the first page. */
      readonly cursor?: string
    }
    readonly headers: {
      /** Tags of answers that the client has, with commas between them, or `*` for any: if the answer would have one of them, it is 304 without a body. */
      readonly 'If-None-Match'?: string
    }
    readonly answer: FeeSchedulesPage
  }>
  /** Find billing codes by their names */
  readonly 'list-billing-codes': Call<{
    readonly query: {
      /** Words of a name of the code, or its beginning. All words are in one name, in any order, case and accents; the beginning of a word is enough, and a wrong letter is forgiven in a word that nothing has. A word may also be the type of the code. At least one word or code has two letters or digits. Everyday words also find other words for the same (`knee` finds leg joints). The rules for names of payers apply. */
      readonly q: string
      /** Only codes of this type, in upper or lower case. */
      readonly billing_code_type?: string
      /** Maximum number of codes in a page. */
      readonly limit?: number
      /** The `next_cursor` of the page before, with the same filter; left out for the first page. */
      readonly cursor?: string
    }
    readonly answer: BillingCodesPage
  }>
  /** Find specialties of providers by their names */
  readonly 'list-specialties': Call<{
    readonly query: {
      /** Only specialties with all of these words in their name or group, read as `q` of the fee schedules is, or codes that begin so. */
      readonly q?: string
      /** Maximum number of specialties in a page, which has room for all of them at once. */
      readonly limit?: number
      /** The `next_cursor` of the page before, with the same filter; left out for the first page. */
      readonly cursor?: string
    }
    readonly answer: SpecialtiesPage
  }>
  /** Find providers by name and place */
  readonly 'list-providers': Call<{
    readonly query: {
      /** One provider by its NPI, ten digits. Without other filters. */
      readonly npi?: string
      /** Words of the name of a provider, all of them, in any order, case and accents; the beginning of a word is enough, and a wrong letter is forgiven in a word that nothing has. Needs a `zip` or a `state`. The rules for names of payers apply. */
      readonly q?: string
      /** Only providers with a practice in this state or territory. Needs `q` or a `zip`. */
      readonly state?: string
      /** Only providers with a practice in this ZIP code of five digits. */
      readonly zip?: string
      /** Only providers of this primary specialty, by its NUCC code. Needs a `zip`, or a `state` with `q`. */
      readonly taxonomy?: string
      /** Maximum number of providers. */
      readonly limit?: number
    }
    readonly answer: FoundProviders
  }>
}
