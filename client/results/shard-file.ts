import type { CompletedSearch } from '../api.ts'
import { FileUrls } from '../downloads/file-urls.ts'

/**
 * One file of a result, read by Range through its pre-signed URL. Fetched bytes are kept. A range `a-b`
 * needs no preflight request, unlike the suffix form, and the signature does not allow HEAD.
 */
export class ShardFile {
  readonly #name: string
  readonly #urls: FileUrls
  readonly #fetchUrl: typeof fetch
  readonly #ranges: { readonly start: number; readonly bytes: ArrayBuffer }[] = []
  #byteLength: number | undefined

  constructor(name: string, urls: FileUrls, fetchUrl: typeof fetch) {
    this.#name = name
    this.#urls = urls
    this.#fetchUrl = fetchUrl
  }

  /**
   * The file as hyparquet reads it.
   *
   * @throws UrlExpired, or TypeError if the storage does not answer
   */
  async open(): Promise<{ byteLength: number; slice: ShardFile['slice'] }> {
    if (this.#byteLength === undefined) {
      const { bytes, total } = await this.#fetch(0, firstBytes)
      this.#ranges.push({ start: 0, bytes })
      this.#byteLength = total
    }
    return { byteLength: this.#byteLength, slice: (start, end) => this.slice(start, end) }
  }

  /** The bytes from `start` to before `end`. */
  async slice(start: number, end: number = this.#byteLength ?? 0): Promise<ArrayBuffer> {
    const range = this.#ranges.find((each) => each.start <= start && end <= each.start + each.bytes.byteLength)
    if (range !== undefined) return range.bytes.slice(start - range.start, end - range.start)
    const { bytes } = await this.#fetch(start, end)
    this.#ranges.push({ start, bytes })
    return bytes
  }

  async #fetch(start: number, end: number) {
    const signed = this.#urls.find(this.#name)
    try {
      return await fetchRange(signed.url, start, end, this.#fetchUrl)
    } catch (error) {
      if (!(error instanceof UrlExpired)) throw error
      await this.#urls.renew(signed)
      return await fetchRange(this.#urls.find(this.#name).url, start, end, this.#fetchUrl)
    }
  }
}

/** The URLs of a result's files, in order. */
type SignedFiles = Pick<CompletedSearch, 'download_urls'>

/**
 * Opens the files of a result. When a URL has expired, all of them are signed again by one call.
 *
 * @param renew requests freshly signed URLs
 * @param fetchUrl `fetch` of the client that asks the service, which follows the same proxies
 */
export function openFiles(
  { download_urls: urls }: SignedFiles,
  renew: () => Promise<SignedFiles>,
  fetchUrl: typeof fetch,
): readonly ShardFile[] {
  const list = (signed: readonly string[]) => signed.map((url, index) => ({ name: String(index), url }))
  const source = new FileUrls(list(urls), async () => list((await renew()).download_urls))
  return urls.map((_, index) => new ShardFile(String(index), source, fetchUrl))
}

/** Size of the first request, which reads small files whole. */
const firstBytes = 65_536

/** The storage refuses a URL: it has expired, or the file is gone. */
export class UrlExpired extends Error {
  override readonly name = 'UrlExpired'
}

async function fetchRange(url: string, start: number, end: number, fetchUrl: typeof fetch) {
  const headers = { Range: `bytes=${start}-${end - 1}` }
  const response = await fetchUrl(url, { headers, referrerPolicy: 'no-referrer' })
  if ([400, 403, 404].includes(response.status)) throw new UrlExpired(`status ${response.status}`)
  if (!response.ok) throw new TypeError(`the storage answered with status ${response.status}`)
  const bytes = await response.arrayBuffer()
  const [, total] = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? []
  return { bytes, total: total === undefined ? bytes.byteLength : Number(total) }
}
