import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ErrorBody } from '../contract/errors.ts'
import { idempotencyKeyHeader } from '../contract/headers.ts'
import type { CompletedSearchBody, SearchBody, SearchRequestBody } from '../contract/search-api.ts'

export interface SearchClientOptions {
  /** The URL of the API, without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly sleep: (milliseconds: number) => Promise<unknown>
  /** Seconds between polls. @default - what the service asks for (`Retry-After`) */
  readonly pollSeconds?: number
}

/** Creates, polls, downloads, cancels and deletes searches. Throws `ApiError` if the API refuses a call. */
export interface SearchClient {
  /**
   * @param idempotencyKey makes it safe to retry when the answer was lost: the same key and request return the same job
   */
  createSearch(request: SearchRequestBody, idempotencyKey?: string): Promise<SearchBody>
  getSearch(jobId: string): Promise<SearchBody>
  /** Polls at the interval that the service asks for and yields every answer, until the job has ended. */
  followSearch(jobId: string): AsyncGenerator<SearchBody, void>
  /** Cancels a search that has not ended and returns it as it is then. */
  cancelSearch(jobId: string): Promise<SearchBody>
  /** Deletes a search that has ended, together with its files. */
  deleteSearch(jobId: string): Promise<void>
  /** Downloads every shard of a completed job into a folder, and returns the file paths. Throws `DownloadFailed`. */
  downloadShards(search: CompletedSearchBody, folder: string): Promise<readonly string[]>
}

/** The API answered with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly body: ErrorBody
  constructor(status: number, body: ErrorBody) {
    const details = body.error.details?.map(({ path, message }) => `\n  ${path}: ${message}`).join('') ?? ''
    super(`${body.error.type} (${status}): ${body.error.message}${details}`)
    this.status = status
    this.body = body
  }
}

/** A shard could not be downloaded; its URL may have expired, so read the job again for a fresh one. */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed'
}

/** Creates a client for one organization's API key. */
export function createSearchClient({ baseUrl, apiKey, sleep, pollSeconds }: SearchClientOptions): SearchClient {
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Bearer ${apiKey}`, ...init.headers }
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers })
    // The body is not parsed here: the service's own tests check its answers against the contract.
    if (!response.ok) throw new ApiError(response.status, (await response.json()) as ErrorBody)
    return response
  }

  async function call(path: string, init?: RequestInit) {
    const response = await send(path, init)
    return {
      search: (await response.json()) as SearchBody,
      retryAfter: Number(response.headers.get('retry-after') ?? 15),
    }
  }

  const pathOf = (jobId: string) => `/v1/searches/${encodeURIComponent(jobId)}`
  const get = (jobId: string) => call(pathOf(jobId))

  return {
    createSearch: async (request, idempotencyKey) => {
      const headers = {
        'Content-Type': 'application/json',
        ...(idempotencyKey !== undefined && { [idempotencyKeyHeader]: idempotencyKey }),
      }
      return (await call('/v1/searches', { method: 'POST', headers, body: JSON.stringify(request) })).search
    },

    getSearch: async (jobId) => (await get(jobId)).search,

    async *followSearch(jobId) {
      for (;;) {
        const { search, retryAfter } = await get(jobId)
        yield search
        if (search.status === 'completed' || search.status === 'failed') return
        await sleep((pollSeconds ?? retryAfter) * 1000)
      }
    },

    cancelSearch: async (jobId) => (await call(`${pathOf(jobId)}/cancel`, { method: 'POST' })).search,

    deleteSearch: async (jobId) => void (await send(pathOf(jobId), { method: 'DELETE' })),

    downloadShards: async ({ job_id, download_urls }, folder) => {
      await mkdir(folder, { recursive: true })
      const files: string[] = []
      for (const [index, url] of download_urls.entries()) {
        const file = join(folder, `${job_id}-${String(index + 1).padStart(4, '0')}.parquet`)
        await download(url, file)
        files.push(file)
      }
      return files
    },
  }
}

/** Sends no Authorization header: S3 refuses a pre-signed URL together with one. */
async function download(url: string, file: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok || response.body === null)
    throw new DownloadFailed(`a shard could not be downloaded: HTTP ${response.status}`)
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file))
}
