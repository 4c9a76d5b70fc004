import type { PartialFile } from './partial-file.ts'

/**
 * The URL does not give the file: it has expired, its signer may no longer read the file, the file is gone (S3 answers 403,
 * because the signer may not list the bucket), or another file is there.
 */
export class UrlRefused extends Error {
  override readonly name = 'UrlRefused'
}

/** Time without a byte after which a connection is closed, in milliseconds. */
const maxSilenceMs = 60_000

/**
 * Fetches the missing bytes of a part. Returns when the answer ends, which may be early.
 *
 * @param onBytes called after each piece that was written
 * @throws UrlRefused if the storage answers 400, 401, 403 or 404, or with another length than the manifest states
 */
export async function fetchRest(
  part: PartialFile,
  url: string,
  fetchUrl: typeof fetch,
  onBytes: () => void,
  signal: AbortSignal,
): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('nothing came for a minute')), maxSilenceMs)
  try {
    const response = await fetchUrl(url, {
      headers: { 'Accept-Encoding': 'identity', ...conditionsOf(part) },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    await takeAnswer(part, response)
    if (response.body === null) return
    await writeAll(part, response.body, () => {
      timer.refresh()
      onBytes()
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
async function writeAll(part: PartialFile, body: ReadableStream<Uint8Array>, onBytes: () => void): Promise<void> {
  let waitingBytes = 0
  let written = Promise.resolve()
  const write = async (piece: Uint8Array) => {
    await part.append(piece)
    waitingBytes -= piece.length
    onBytes()
  }
  const reader = body.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { value } = read
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

/** Bytes of a changed file must not follow those on disk: the storage then answers 412. */
function conditionsOf({ size, origin }: PartialFile): Record<string, string> {
  // A weak ETag does not guarantee equal bytes.
  return origin === undefined || size === 0 || !origin.etag.startsWith('"')
    ? {}
    : { Range: `bytes=${size}-`, 'If-Match': origin.etag }
}

/** Prepares the part for the bytes of an answer. */
async function takeAnswer(part: PartialFile, { status, headers, body }: Response): Promise<void> {
  const etag = headers.get('etag') ?? ''
  if (status === 206) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
    if (Number(start) === part.size && Number(total) === part.origin?.total && etag === part.origin.etag) return
    await body?.cancel()
    await part.restart()
    throw new Error('the storage sent another range than it was asked for')
  }
  if (status === 200) {
    const length = headers.get('content-length')
    // The storage ignored the range, or there was none.
    if (Number(length ?? -1) === part.expected) return await part.restart({ etag, total: part.expected })
    await body?.cancel()
    if (length !== null) throw new UrlRefused(`it has ${length} bytes and not ${part.expected}`)
    throw new Error('the storage did not say how long the file is')
  }
  await body?.cancel()
  if (status === 412 || status === 416) {
    await part.restart()
    throw new Error('the file has changed')
  }
  const refusal = `the storage answered with status ${status}`
  throw [400, 401, 403, 404].includes(status) ? new UrlRefused(refusal) : new Error(refusal)
}
