import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { LoadRefused } from '../load-refused.ts'
import type { RemoteFiles } from '../remote/remote-files.ts'
import { isRemote } from './file-address.ts'
import { readZipEntry } from './zip-entry.ts'

/** A published file as a stream of its JSON text, regardless of compression. */
export interface PublishedBytes extends AsyncDisposable {
  /** The path as the operator gave it, `-` for standard input, or the address of a remote file; messages name it. */
  readonly path: string
  /** Base name, without the query string that a download from a URL leaves in it. */
  readonly name: string
  /** Size as it is stored; undefined for a pipe, and if its server does not say. */
  readonly size: number | undefined
  /** The strong entity tag of a remote file, available once it has been read; undefined if there is none. */
  readonly etag: () => string | undefined
  /** Bytes of the packed file that have been read so far. */
  readonly bytesRead: () => number
  /** SHA-256 of the JSON text in hex, available once it has been read: the same for a file and its gzip. */
  readonly contentHash: () => string
  /** SHA-256 of the compressed bytes in hex, available once they have been read. */
  readonly packedHash: () => string
  /** The decompressed JSON text; can be read once. */
  readonly chunks: AsyncGenerator<Buffer>
}

/** What reading needs besides the path. */
export interface ReadingOptions {
  /** Fetches remote files; without it they are refused. */
  readonly remote?: RemoteFiles | undefined
  readonly signal?: AbortSignal | undefined
  /** Called after each entry of a table of contents. */
  readonly onEntry?: ((bytesRead: number, size: number | undefined) => void) | undefined
}

/** A file as it is stored. */
interface StoredBytes {
  readonly size: number | undefined
  readonly etag: () => string | undefined
  readonly chunks: AsyncIterable<Buffer>
  readonly close: () => Promise<void>
}

/** Size of one read from disk. */
const readSize = 1 << 20

/** Bytes that any file may unpack to; one that unpacks to more, so many times its size at most. Payers' files: 20 to 50. */
const maxUnpacking = { free: 100_000_000, ratio: 200 }

const gzipMark = [0x1f, 0x8b]
const zipMark = [0x50, 0x4b, 0x03, 0x04]

/**
 * Opens a JSON file: plain, gzip (of any number of members) or a zip with one entry. The format is detected from the
 * first bytes, because published names are unreliable. `-` is standard input.
 *
 * @throws LoadRefused, here and while the chunks are read, if the file cannot be read or is not whole
 */
export async function openPublishedBytes(path: string, options: ReadingOptions = {}): Promise<PublishedBytes> {
  const stored = isRemote(path) ? await openRemote(path, options) : await openLocal(path)
  const tally: Tally = { read: 0, hash: createHash('sha256'), textHash: undefined }
  const chunks = unpack(counted(stored.chunks, tally), path, tally)
  return {
    path,
    name: path === '-' ? 'stdin' : lastSegment(path),
    size: stored.size,
    etag: stored.etag,
    bytesRead: () => tally.read,
    contentHash: () => (tally.textHash ?? tally.hash).copy().digest('hex'),
    packedHash: () => tally.hash.copy().digest('hex'),
    chunks,
    async [Symbol.asyncDispose]() {
      await chunks.return(undefined)
      await stored.close()
    },
  }
}

/** @throws LoadRefused if no file is fetched */
export function requireRemote(address: string, remote: RemoteFiles | undefined): RemoteFiles {
  if (remote === undefined) throw new LoadRefused(address, 'is a URL: download it, then load the file')
  return remote
}

async function openRemote(address: string, { remote, signal }: ReadingOptions): Promise<StoredBytes> {
  const bytes = await requireRemote(address, remote).open(address, signal)
  return {
    size: bytes.facts.size,
    etag: () => bytes.facts.etag,
    chunks: bytes.chunks,
    close: async () => bytes[Symbol.asyncDispose](),
  }
}

async function openLocal(path: string): Promise<StoredBytes> {
  const isPiped = path === '-'
  const info = isPiped ? undefined : await stat(path).catch((cause: unknown) => refuseUnreadable(path, cause))
  const size = info?.isFile() ? info.size : undefined
  // A stream takes a buffer of this size for each read, however small the file is.
  const highWaterMark = Math.min(readSize, size === undefined ? readSize : size + 1)
  const stream = isPiped ? process.stdin : createReadStream(path, { highWaterMark })
  return {
    size,
    etag: () => undefined,
    chunks: readable(stream, path),
    close: async () => void stream.destroy(),
  }
}

/** Whether a file that begins with these bytes, of which there are at least four, is a gzip or a zip. */
const isPacked = (head: Buffer): boolean => startsWith(head, gzipMark) || startsWith(head, zipMark)

/**
 * SHA-256 of a file's compressed bytes in hex.
 *
 * @throws LoadRefused if it cannot be read
 */
export async function hashPackedFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: readSize })) hash.update(chunk)
  } catch (cause) {
    refuseUnreadable(path, cause)
  }
  return hash.digest('hex')
}

/**
 * SHA-256 of a file's JSON text in hex, as `PublishedBytes.contentHash`.
 *
 * @throws LoadRefused if it cannot be read or is not whole
 */
export async function hashJsonText(path: string, options: ReadingOptions): Promise<string> {
  await using published = await openPublishedBytes(path, options)
  for await (const _ of published.chunks);
  return published.contentHash()
}

/** The last segment of a path or address, without its query string. */
export function lastSegment(location: string): string {
  const [path = ''] = location.split(/[?#]/, 1)
  return (basename(path) || basename(location)).toWellFormed()
}

/** How much of the compressed file has been read. */
interface Tally {
  read: number
  readonly hash: Hash
  /** The hash of the JSON text; undefined if the file is not compressed, because then it is that of the file. */
  textHash: Hash | undefined
}

type Hash = ReturnType<typeof createHash>

async function* counted(stream: AsyncIterable<Buffer>, tally: Tally): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    tally.read += chunk.length
    tally.hash.update(chunk)
    yield chunk
  }
}

async function* readable(stream: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (cause) {
    refuseUnreadable(path, cause)
  }
}

async function* unpack(chunks: AsyncGenerator<Buffer>, path: string, tally: Tally): AsyncGenerator<Buffer> {
  const head = await readHead(chunks)
  const whole = prepend(head, chunks)
  if (!isPacked(head)) {
    refusePage(head, path)
    yield* whole
    return
  }
  const isGzip = startsWith(head, gzipMark)
  tally.textHash = createHash('sha256')
  let unpacked = 0
  for await (const chunk of isGzip ? unpackGzip(whole, path) : readZipEntry(whole, path)) {
    if (unpacked === 0) refusePage(chunk, path)
    unpacked += chunk.length
    if (unpacked > maxUnpacking.free && unpacked > maxUnpacking.ratio * tally.read)
      throw new LoadRefused(path, `is refused: it unpacks to more than ${maxUnpacking.ratio} times its size`)
    tally.textHash.update(chunk)
    yield chunk
  }
}

async function* unpackGzip(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks, { objectMode: false, highWaterMark: readSize })
  const gunzip = createGunzip({ chunkSize: readSize })
  // `pipe` does not carry errors over.
  source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
  try {
    yield* gunzip
  } catch (cause) {
    // The rest are faults of the file's source.
    if (codeOf(cause)?.startsWith('Z_') !== true) throw cause
    if (codeOf(cause) === 'Z_BUF_ERROR') {
      throw new LoadRefused(path, 'is cut short: its gzip stream does not end', { cause })
    }
    throw new LoadRefused(path, 'is not whole: its gzip stream cannot be unpacked', { cause })
  } finally {
    source.destroy()
  }
}

/** Reads enough bytes to detect the format: a pipe may deliver them one by one. */
async function readHead(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  while (head.length < zipMark.length) {
    const { value, done } = await chunks.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  return head
}

async function* prepend(head: Buffer, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* chunks
}

/** JSON never begins with this sign. */
function refusePage(start: Buffer, path: string): void {
  if (/^(?:\xef\xbb\xbf)?\s*</.test(start.toString('latin1', 0, pageStart)))
    throw new LoadRefused(path, 'is a web page, not JSON: a login may have expired, or a proxy have answered')
}

const pageStart = 1024

function refuseUnreadable(path: string, cause: unknown): never {
  throw new LoadRefused(path, `cannot be read (${codeOf(cause) ?? 'unknown error'})`, { cause })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

const startsWith = (bytes: Buffer, mark: readonly number[]) => mark.every((byte, index) => bytes[index] === byte)
