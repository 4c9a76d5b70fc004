import {
  type CompletedManifest,
  type CompletedSearch,
  type Estimate,
  type FailedSearch,
  greatest,
  type Manifest,
  type ResultRows,
  type RunningSearch,
  type Search,
  type SearchRequest,
} from './api.ts'
import { awaitEnd } from './await-end.ts'
import { SearchFailed } from './errors.ts'
import { ListCalls } from './list-calls.ts'
import type { CallOptions } from './transport.ts'

/** Options of `create`. */
export interface CreateOptions extends CallOptions {
  /**
   * Makes it safe to repeat the call later: the same key with the same search returns the same job. Store it before the
   * call. 1 to 255 visible ASCII characters. @default - a random one made for this call
   */
  readonly idempotencyKey?: string
}

/** Makes a random key. Browsers have `crypto.randomUUID` on encrypted pages only. */
export const makeIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Options of `follow`, `waitFor` and `completedManifest`. */
export interface FollowOptions extends CallOptions {
  /** Seconds between polls. @default - what the service asks for, else 15 */
  readonly pollSeconds?: number
}

/** Options of `get`. */
export interface GetOptions extends CallOptions {
  /** Seconds to wait for the end of the search, 0 to 20; the service may answer earlier. @default 0 */
  readonly wait?: number
}

/** Options of `search`. */
export interface SearchOptions extends CreateOptions {
  /** Seconds to wait for the end of the search at most. @default 20 */
  readonly wait?: number
}

/** Part of the rows that `rows` returns. */
export interface RowsQuery {
  /** Most rows, 1 to 1,000. @default 100 */
  readonly limit?: number
  /** Names of columns, in the order of an answer. @default - all of the search */
  readonly columns?: readonly string[]
}

/**
 * The calls of a rate search service with the API key of an organization: everything that needs no file system. Use
 * `RateSearchClient`, which adds downloads.
 */
export class SearchCalls extends ListCalls {
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
    const headers = { 'Idempotency-Key': options.idempotencyKey ?? makeIdempotencyKey() }
    return (await this.transport.call('create-search', { body: request, headers }, options)).body
  }

  /**
   * Creates a search and waits for its end, but not longer than `wait`: returns it completed, or still running. The
   * service waits as part of the call if its operator allows that, and is asked again otherwise. Use it for a question
   * that takes seconds, and {@link waitFor} for one that may take hours.
   *
   * @throws SearchFailed if it fails
   * @example
   * const plan = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
   * const search = await client.search({ billing_codes: ['99213'], fee_schedules: [plan], limit: 10 }, { wait: 20 })
   * if (search.status === 'completed') console.log((await client.rows(search.job_id)).rows)
   */
  async search(
    request: SearchRequest,
    { wait = greatest['get-search'].wait, ...options }: SearchOptions = {},
  ): Promise<RunningSearch | CompletedSearch> {
    const { now } = this.transport
    const end = now() + wait * 1000
    const created = await this.create(request, options)
    const seconds = Math.floor((end - now()) / 1000)
    if (seconds < 1) return created
    const search = await awaitEnd(this.transport, created.job_id, seconds, options)
    if (search.status === 'failed') throw new SearchFailed(search)
    return search
  }

  /**
   * Returns the current state of a search. A completed search has URLs that were signed for this answer.
   *
   * @example
   * const search = await client.get(jobId)
   * if (search.status === 'failed') console.error(search.error)
   */
  async get(jobId: string, { wait, ...options }: GetOptions = {}): Promise<Search> {
    const query = wait === undefined ? {} : { wait }
    return (await this.transport.call('get-search', { path: { job_id: jobId }, query }, options)).body
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
   * Returns up to 1,000 rows of a completed search, without a download: the first rows of a summary in their order, or
   * any rows of a result. `truncated` says if the search has more. Amounts are texts with all of their digits. Rejects
   * with a `conflict` if the search has not completed.
   *
   * @example
   * const { rows, truncated } = await client.rows(jobId, { limit: 10, columns: ['plan', 'negotiated_rate'] })
   */
  async rows(jobId: string, { limit, columns }: RowsQuery = {}, options?: CallOptions): Promise<ResultRows> {
    const query = { ...(limit !== undefined && { limit }), ...(columns && { columns: columns.join(',') }) }
    return (await this.transport.call('get-rows', { path: { job_id: jobId }, query }, options)).body
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
}
