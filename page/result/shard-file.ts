/**
 * One file of a result, read by Range through its pre-signed URL. Fetched bytes are kept and counted. A range `a-b`
 * needs no preflight request, unlike the suffix form, and the signature does not allow HEAD.
 */
export class ShardFile {
  readonly byteLength: number
  /** Bytes read so far. */
  readonly usage = { requests: 1, bytes: 0 }
  readonly #url: string
  readonly #parts: { readonly start: number; readonly bytes: ArrayBuffer }[] = []

  private constructor(url: string, byteLength: number, first: ArrayBuffer) {
    this.#url = url
    this.byteLength = byteLength
    this.#keep(0, first)
  }

  /** @throws UrlExpired, or TypeError if the storage does not answer */
  static async open(url: string): Promise<ShardFile> {
    const { bytes, total } = await fetchRange(url, 0, firstBytes)
    return new ShardFile(url, total, bytes)
  }

  /** The bytes from `start` to before `end`, as hyparquet asks for them. */
  async slice(start: number, end: number = this.byteLength): Promise<ArrayBuffer> {
    const kept = this.#parts.find((part) => part.start <= start && end <= part.start + part.bytes.byteLength)
    if (kept !== undefined) return kept.bytes.slice(start - kept.start, end - kept.start)
    this.usage.requests += 1
    const { bytes } = await fetchRange(this.#url, start, end)
    this.#keep(start, bytes)
    return bytes
  }

  #keep(start: number, bytes: ArrayBuffer): void {
    this.usage.bytes += bytes.byteLength
    this.#parts.push({ start, bytes })
  }
}

/** The first request; it reads small files whole. */
const firstBytes = 65_536

/** The URL has expired: ask the service for a fresh one. */
export class UrlExpired extends Error {
  override readonly name = 'UrlExpired'
}

async function fetchRange(url: string, start: number, end: number) {
  const response = await fetch(url, { headers: { Range: `bytes=${start}-${end - 1}` }, referrerPolicy: 'no-referrer' })
  if (response.status === 403 || response.status === 400) throw new UrlExpired(`status ${response.status}`)
  if (!response.ok) throw new TypeError(`the storage answered with status ${response.status}`)
  const bytes = await response.arrayBuffer()
  const [, total] = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? []
  return { bytes, total: total === undefined ? bytes.byteLength : Number(total) }
}
