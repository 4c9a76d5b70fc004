import type {
  CatalogueEntry,
  CompletedManifest,
  CompletedSearch,
  Estimate,
  FailedSearch,
  FeeSchedulesPage,
  Manifest,
  RunningSearch,
  Search,
  SearchesPage,
  SearchRequest,
  SearchSummary,
} from './api.ts'
import { SearchFailed } from './errors.ts'
import { type CallOptions, type ClientOptions, Transport } from './transport.ts'

/** Options of `create`. */
export interface CreateOptions extends CallOptions {
  /**
   * Makes it safe to repeat the call later: the same key with the same search returns the same job. Store it before the
   * call. 1 to 255 visible ASCII characters. @default - a UUID made for this call
   */
  readonly idempotencyKey?: string
}

/** Options of `follow`, `waitFor` and `completedManifest`. */
export interface FollowOptions extends CallOptions {
  /** Seconds between polls. @default - what the service asks for, else 15 */
  readonly pollSeconds?: number
}

/** Filters of `list`. */
export interface SearchesQuery {
  /** Only searches in this state. */
  readonly status?: SearchSummary['status']
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

/**
 * The calls of a rate search service with the API key of an organization: everything that needs no file system. Use
 * `RateSearchClient`, which adds downloads.
 */
export class SearchCalls {
  readonly transport: Transport

  /** @throws TypeError if the address or the key is malformed */
  constructor(options: ClientOptions) {
    this.transport = new Transport(options)
  }

  /**
   * Creates a search and returns it, queued. It runs once, even if its answer is lost and the call is retried. With
   * `summary`, the files of its result have statistics in place of rows; `summary: {}` means all defaults.
   *
   * @example
   * const search = await client.create(
   *   { npis: [1000100002], fee_schedules: [{ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }] },
   *   { idempotencyKey: crypto.randomUUID() },
   * )
   */
  async create(request: SearchRequest, options: CreateOptions = {}): Promise<RunningSearch> {
    const headers = { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() }
    return (await this.transport.call('create-search', { body: request, headers }, options)).body
  }

  /**
   * Returns the current state of a search. A completed search has URLs that were signed for this answer.
   *
   * @example
   * const search = await client.get(jobId)
   * if (search.status === 'failed') console.error(search.error)
   */
  async get(jobId: string, options?: CallOptions): Promise<Search> {
    return (await this.transport.call('get-search', { path: { job_id: jobId } }, options)).body
  }

  /**
   * Returns the request of a search and what it has read, in any state. Use {@link completedManifest} for its rows and
   * files.
   *
   * @example
   * const { fee_schedules, attempts } = await client.manifest(jobId)
   */
  async manifest(jobId: string, options?: CallOptions): Promise<Manifest> {
    return (await this.transport.call('get-manifest', { path: { job_id: jobId } }, options)).body
  }

  /**
   * Yields the state of a search now and after each wait, until it has completed or failed.
   *
   * @example
   * for await (const { status } of client.follow(jobId)) console.log(status)
   */
  async *follow(jobId: string, options: FollowOptions = {}): AsyncGenerator<Search, void> {
    for (;;) {
      const { body, retryAfterSeconds = 15 } = await this.transport.call(
        'get-search',
        { path: { job_id: jobId } },
        options,
      )
      yield body
      if (body.status === 'completed' || body.status === 'failed') return
      await this.transport.sleep((options.pollSeconds ?? retryAfterSeconds) * 1000, options.signal)
    }
  }

  /**
   * Waits until a search has completed, and returns it.
   *
   * @throws SearchFailed if it fails or has failed
   * @example
   * const { download_urls } = await client.waitFor(jobId, { signal: AbortSignal.timeout(600_000) })
   */
  async waitFor(jobId: string, options?: FollowOptions): Promise<CompletedSearch> {
    for await (const search of this.follow(jobId, options)) {
      if (search.status === 'completed') return search
      if (search.status === 'failed') throw new SearchFailed(search)
    }
    throw new TypeError('a search was followed and never ended')
  }

  /**
   * Waits until a search has completed, and returns its manifest: the rows and columns of the result, and its files
   * with their sizes and checksums.
   *
   * @throws SearchFailed if it fails or has failed
   * @example
   * const { rows, shards } = await client.completedManifest(jobId)
   * console.log(rows, 'rows in', shards.length, 'files')
   */
  async completedManifest(jobId: string, options?: FollowOptions): Promise<CompletedManifest> {
    await this.waitFor(jobId, options)
    const manifest = await this.manifest(jobId, options)
    if (manifest.status !== 'completed') throw new TypeError(`a completed search is ${manifest.status}`)
    return manifest
  }

  /**
   * Yields the searches of the organization, the newest first. Pages are read as needed.
   *
   * @example
   * for await (const { job_id, status } of client.list({ status: 'failed' })) console.log(job_id, status)
   */
  async *list(
    { pageSize = 100, ...filter }: SearchesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<SearchSummary, void> {
    const pages = readPages(async (place): Promise<SearchesPage> => {
      const query = { ...filter, limit: pageSize, ...place }
      return (await this.transport.call('list-searches', { query }, options)).body
    })
    for await (const { searches } of pages) yield* searches
  }

  /**
   * Estimates what a search would read, and says which of its fee schedules exist, without starting it.
   *
   * @example
   * const { files, bytes, warnings } = await client.estimate({
   *   npis: [1000100002],
   *   fee_schedules: [{ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }],
   * })
   */
  async estimate(request: SearchRequest, options?: CallOptions): Promise<Estimate> {
    return (await this.transport.call('estimate-search', { body: request }, options)).body
  }

  /**
   * Cancels a search that is queued or running, and returns it as failed. Rejects with a `conflict` if it has already
   * ended.
   *
   * @example
   * await client.cancel(jobId)
   */
  async cancel(jobId: string, options?: CallOptions): Promise<FailedSearch> {
    return (await this.transport.call('cancel-search', { path: { job_id: jobId } }, options)).body
  }

  /**
   * Deletes a search that has ended, with its files. Rejects with a `conflict` if it is queued or running.
   *
   * @example
   * await client.delete(jobId)
   */
  async delete(jobId: string, options?: CallOptions): Promise<void> {
    await this.transport.call('delete-search', { path: { job_id: jobId } }, options)
  }

  /**
   * Yields the fee schedules that can be searched, grouped by payer. Pages are read as needed.
   *
   * @example
   * for await (const { payer, plan } of client.feeSchedules({ payer: 'Blue Harbor Health' })) console.log(payer, plan)
   */
  async *feeSchedules(
    { pageSize = 1000, ...filter }: FeeSchedulesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<CatalogueEntry, void> {
    const pages = readPages(async (place): Promise<FeeSchedulesPage> => {
      const query = { ...filter, limit: pageSize, ...place }
      return (await this.transport.call('list-fee-schedules', { query }, options)).body
    })
    for await (const { fee_schedules } of pages) yield* fee_schedules
  }
}

/** Reads a list page by page, each when the previous one has been consumed. */
async function* readPages<Page extends { readonly next_cursor: string | null }>(
  read: (place: { readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let cursor: string | null = null
  do {
    const page: Page = await read(cursor === null ? {} : { cursor })
    yield page
    cursor = page.next_cursor
  } while (cursor !== null)
}
