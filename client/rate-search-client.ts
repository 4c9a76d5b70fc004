import { type DownloadedFile, type DownloadOptions, downloadFiles } from './downloads/download.ts'
import { createFetch } from './network/create-fetch.ts'
import { processEnvironment } from './network/proxies.ts'
import { SearchCalls } from './search-calls.ts'
import type { ClientOptions } from './transport.ts'

/**
 * A client of one rate search service with one organization's API key. It retries after lost connections, 429 and 5xx,
 * and waits as long as the service asks for. Every method rejects with {@link ApiError} if the service refuses the
 * call, {@link ConnectionFailed} if it does not answer, and the signal's reason if the signal aborts.
 *
 * @example
 * const key = 'rates_…'
 * const client = new RateSearchClient({ url: 'http://127.0.0.1:3000', key })
 * const { job_id: jobId } = await client.create({
 *   billing_codes: ['99213', '27447'],
 *   fee_schedules: [{ payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }],
 * })
 * await client.waitFor(jobId)
 * const files = await client.download(jobId, 'rates')
 */
export class RateSearchClient extends SearchCalls {
  constructor(options: ClientOptions) {
    super({ ...options, fetch: options.fetch ?? createFetch(processEnvironment) })
  }

  /**
   * Downloads the files of a completed search into a folder, four at a time, and returns them. It needs Node.
   *
   * Each file is written under a temporary name and renamed once it is complete: it has the size that the manifest of
   * the search states, its checksum if that covers the whole file, and the magic bytes of Parquet at both ends. An
   * interrupted download resumes where it stopped when it is called again, if the file has not changed. URLs that the
   * storage refuses (403: they have expired, or the file is gone) are replaced by fresh ones, unless the search was
   * deleted meanwhile. An existing file with that size and checksum is not downloaded again.
   *
   * The service is not trusted with the folder: only plain names that end in `.parquet` are written, links are not
   * followed, and bytes beyond the stated size are refused.
   *
   * @param folder is made if it does not exist
   * @throws DownloadFailed if a file cannot be fetched or written, or its name is not a plain one
   * @throws SearchFailed if the search has failed
   * @throws ApiError `not_found` if it was deleted
   * @example
   * const files = await client.download(jobId, 'rates', {
   *   onProgress: ({ bytes, totalBytes }) => console.error(bytes, 'of', totalBytes),
   * })
   */
  async download(jobId: string, folder: string, options: DownloadOptions = {}): Promise<readonly DownloadedFile[]> {
    const { fetch, sleep, random } = this.transport
    const listFiles = async () => (await this.completedManifest(jobId, options)).shards
    return await downloadFiles(listFiles, folder, { fetch, sleep, random }, options)
  }
}
