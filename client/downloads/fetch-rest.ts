import type { PartialFile } from './partial-file.ts'

/**
 * The storage does not send the file for this URL: the URL has expired, its signer may no longer read the file, the
 * file is gone (S3 answers 403, because the signer may not list the bucket), or another file is in its place.
 */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused'
}

/** The environment of one download; Ctrl-C aborts its signal. */
export interface FetchOptions {
  readonly fetch: typeof fetch
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Time without a byte after which a connection is closed, in milliseconds. */
const maxSilenceMs = 60_000

/**
 * Fetches the missing bytes of a partial file. Returns when the answer ends, which may be early.
 *
 * @param onProgress called with the size of the file after each piece that was written
 * @throws UrlRefused if the storage answers 400, 401, 403 or 404, or with another length than the manifest states
 */
export async function fetchRest(
  file: PartialFile,
  url: string,
  { fetch: fetchUrl, onProgress, signal }: FetchOptions,
): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('nothing came for a minute')), maxSilenceMs)
  try {
    const response = await fetchUrl(url, {
      headers: { 'Accept-Encoding': 'identity', ...conditionsOf(file) },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    await acceptAnswer(file, response)
    if (response.body === null) return
    await writeAll(file, response.body, () => {
      timer.refresh()
      onProgress(file.size)
    })
  } finally {
    clearTimeout(timer)
  }
}

/** Maximum number of bytes waiting to be written. */
const maxWaitingBytes = 1 << 24

/**
 * Writes a body. Reading waits for the disk only if it falls far behind: bytes that were received but not read are lost
 * when a connection breaks, and would be fetched twice.
 */
async function writeAll(file: PartialFile, body: ReadableStream<Uint8Array>, onBytes: () => void): Promise<void> {
  let waitingBytes = 0
  let written = Promise.resolve()
  const write = async (piece: Uint8Array) => {
    await file.append(piece)
    waitingBytes -= piece.length
    onBytes()
  }
  const reader = body.getReader()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const { value } = piece
      waitingBytes += value.length
      written = written.then(() => write(value))
      // Awaited below; until then a rejection must not be reported as unhandled.
      written.catch(() => {})
      if (waitingBytes > maxWaitingBytes) await written
    }
  } finally {
    await written
    await reader.cancel().catch(() => {})
  }
}

/**
 * Returns headers that make the storage answer 412 if the file has changed: its bytes must not follow those on disk.
 */
function conditionsOf({ size, origin }: PartialFile): Record<string, string> {
  // A weak ETag does not guarantee equal bytes.
  return origin === undefined || size === 0 || !origin.etag.startsWith('"')
    ? {}
    : { Range: `bytes=${size}-`, 'If-Match': origin.etag }
}

/** Prepares the file for the bytes of an answer. */
async function acceptAnswer(file: PartialFile, { status, headers, body }: Response): Promise<void> {
  const etag = headers.get('etag') ?? ''
  if (status === 206) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
    if (Number(start) === file.size && Number(total) === file.origin?.total && etag === file.origin.etag) return
    await body?.cancel()
    await file.restart()
    throw new Error('the storage sent another range than it was asked for')
  }
  if (status === 200) {
    const length = headers.get('content-length')
    // The storage ignored the range, or there was none.
    if (Number(length ?? -1) === file.expected) return await file.restart({ etag, total: file.expected })
    await body?.cancel()
    if (length !== null) throw new UrlRefused(`it has ${length} bytes and not ${file.expected}`)
    throw new Error('the storage did not say how long the file is')
  }
  await body?.cancel()
  if (status === 412 || status === 416) {
    await file.restart()
    throw new Error('the file has changed')
  }
  const refusal = `the storage answered with status ${status}`
  throw [400, 401, 403, 404].includes(status) ? new UrlRefused(refusal) : new Error(refusal)
}
