import {
  type CatalogueEntry,
  type FoundProviders,
  greatest,
  type NamedBillingCode,
  type SearchListItem,
  type Specialty,
} from './api.ts'
import { type CallOptions, type ClientOptions, Transport } from './transport.ts'

/** Filters of `list`. */
export interface SearchesQuery {
  /** Only searches in this state. */
  readonly status?: SearchListItem['status']
  /** Page size, 1 to 100. @default 100 */
  readonly pageSize?: number
}

/** Filters of `feeSchedules`. */
export interface FeeSchedulesQuery {
  /** Only entries of this payer; the exact name. */
  readonly payer?: string
  /** Only entries with all of these words, or words that begin with them, in payer, plan, sponsors or plan ids. */
  readonly q?: string
  /** Only entries with this EIN or HIOS id. */
  readonly plan_id?: string
  /** Only entries with all of these words in their sponsors. */
  readonly sponsor?: string
  /** Only entries of this market type: `group` or `individual`. */
  readonly market?: 'group' | 'individual'
  /** Page size, 1 to 1,000. @default 1000 */
  readonly pageSize?: number
}

/** Filters of `billingCodes`. */
export interface BillingCodesQuery {
  /** Words, or beginnings of words, of a name of the code; or the beginning of the code. */
  readonly q: string
  /** Only codes of this type, such as `CPT`. */
  readonly billing_code_type?: string
  /** Page size, 1 to 100. @default 100 */
  readonly pageSize?: number
}

/** Filters of `specialties`. */
export interface SpecialtiesQuery {
  /** Only specialties with all of these words, or words that begin with them. */
  readonly q?: string
  /** Page size, 1 to 1,000. @default 1000 */
  readonly pageSize?: number
}

/** Filters of `providers`: `npi` alone, a `zip`, or a `state` with `q`. */
export interface ProvidersQuery {
  /** One provider by its NPI, ten digits. */
  readonly npi?: string
  /** Words, or beginnings of words, of the name of a provider. */
  readonly q?: string
  /** Only providers with a practice in this state or territory: two letters. */
  readonly state?: string
  /** Only providers with a practice in this ZIP code: five digits. */
  readonly zip?: string
  /** Only providers of this primary specialty: a taxonomy code. */
  readonly taxonomy?: string
  /** Maximum number of providers, 1 to 50. @default 20 */
  readonly limit?: number
}

/** The calls that list something, page by page. */
export class ListCalls {
  readonly transport: Transport

  /** @throws TypeError if the address or the key is malformed */
  constructor(options: ClientOptions) {
    this.transport = new Transport(options)
  }

  /**
   * Yields the searches of the organization, the newest first. Pages are read as needed.
   *
   * @example
   * for await (const { job_id, status } of client.list({ status: 'failed' })) console.log(job_id, status)
   */
  async *list(
    { pageSize = greatest['list-searches'].limit, ...filter }: SearchesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<SearchListItem, void> {
    const readPage = (position: Position) =>
      this.transport.call('list-searches', { query: { ...filter, limit: pageSize, ...position } }, options)
    for await (const { searches } of readPages(readPage)) yield* searches
  }

  /**
   * Yields the fee schedules that can be searched, grouped by payer. Pages are read as needed.
   *
   * @example
   * for await (const { payer, plan } of client.feeSchedules({ payer: 'Blue Harbor Health' })) console.log(payer, plan)
   */
  async *feeSchedules(
    { pageSize = greatest['list-fee-schedules'].limit, ...filter }: FeeSchedulesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<CatalogueEntry, void> {
    const readPage = (position: Position) =>
      this.transport.call('list-fee-schedules', { query: { ...filter, limit: pageSize, ...position } }, options)
    for await (const { fee_schedules } of readPages(readPage)) yield* fee_schedules
  }

  /**
   * Yields the billing codes with a name that has all words of `q`, or that begin with it. Pages are read as needed.
   *
   * @example
   * for await (const { billing_code, name } of client.billingCodes({ q: 'mri joint' })) console.log(billing_code, name)
   */
  async *billingCodes(
    { pageSize = greatest['list-billing-codes'].limit, ...filter }: BillingCodesQuery,
    options?: CallOptions,
  ): AsyncGenerator<NamedBillingCode, void> {
    const readPage = (position: Position) =>
      this.transport.call('list-billing-codes', { query: { ...filter, limit: pageSize, ...position } }, options)
    for await (const { billing_codes } of readPages(readPage)) yield* billing_codes
  }

  /**
   * Yields the specialties of providers with all words of `q` in their names, or all. Pages are read as needed.
   *
   * @example
   * for await (const { code, name } of client.specialties({ q: 'radiology' })) console.log(code, name)
   */
  async *specialties(
    { pageSize = greatest['list-specialties'].limit, ...filter }: SpecialtiesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<Specialty, void> {
    const readPage = (position: Position) =>
      this.transport.call('list-specialties', { query: { ...filter, limit: pageSize, ...position } }, options)
    for await (const { specialties } of readPages(readPage)) yield* specialties
  }

  /**
   * Finds who an NPI is, or the providers with words of a name in a ZIP code or state. There are no further pages:
   * `complete` says if these are all that match.
   *
   * @example
   * const { providers, complete } = await client.providers({ q: 'jankowski', state: 'OR' })
   */
  async providers(query: ProvidersQuery, options?: CallOptions): Promise<FoundProviders> {
    return (await this.transport.call('list-providers', { query: { ...query } }, options)).body
  }
}

/** The position of a page in a list; the first one has none. */
interface Position {
  readonly cursor?: string
}

/** Reads a list page by page, each when the previous one has been consumed. */
async function* readPages<Page extends { readonly next_cursor: string | null }>(
  readPage: (position: Position) => Promise<{ readonly body: Page }>,
): AsyncGenerator<Page, void> {
  let cursor: string | null = null
  do {
    const page: Page = (await readPage(cursor === null ? {} : { cursor })).body
    yield page
    cursor = page.next_cursor
  } while (cursor !== null)
}
