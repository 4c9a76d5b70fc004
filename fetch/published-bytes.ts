import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { codeOf } from './error-code.ts'
import { isRemote, lastSegment } from './file-address.ts'
import { LoadRefused } from './load-refused.ts'
import type { RemoteBody } from './remote/remote-body.ts'
import type { RemoteFiles } from './remote/remote-files.ts'
import { repairJson } from './repair-json.ts'
import { mostTextOf, Tally, unpack } from './unpack.ts'
import type { ZipWatch } from './zip/read-zip.ts'
import { openZipEntry, type ZipEntry } from './zip/zip-directory.ts'

/** What reading needs besides the path. */
export interface ReadingOptions {
  /** Fetches remote files; without it they are refused. */
  readonly remote?: RemoteFiles | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether faults of JSON that have one cure are repaired, and counted. */
  readonly repair?: boolean | undefined
  /** Chooses the entry of a zip by its name. @default - a rate file */
  readonly isWanted?: ZipWatch['isWanted']
  /** Called after each chunk of the packed file. */
  readonly onRead?: ((bytesRead: number, size: number | undefined) => void) | undefined
  /** Called before each chunk of the JSON text, with its length in bytes. */
  readonly onText?: ((bytes: number) => void) | undefined
}

/** A file as it is stored: a local one has the shape of a remote one, without an entity tag. */
interface StoredBytes extends Pick<RemoteBody, 'facts' | 'chunks'>, AsyncDisposable {
  /** Of a local zip of several files. */
  readonly entry?: ZipEntry | undefined
}

/** Size of one read from disk. */
const readSize = 1 << 20

/**
 * Opens a published file as a stream of its JSON text: plain, gzip (of any number of members), a zip with one rate file,
 * which may be such a file again, or an entry that `splitZips` named. The format is detected from the first bytes, because
 * published names are unreliable. `-` is standard input.
 *
 * @throws LoadRefused, here and while the chunks are read, if the file cannot be read or is not whole
 */
export async function openPublishedBytes(path: string, options: ReadingOptions = {}) {
  const stored: StoredBytes = isRemote(path)
    ? await requireRemote(path, options.remote).open(path, options.signal)
    : await openLocal(path)
  const tally = new Tally()
  for (const name of stored.entry?.others ?? []) tally.oddities.note('zip-other', () => name)
  const unpacked = unpack(watch(stored, tally, options), path, tally, options.isWanted)
  const chunks = tellText(options.repair ? repairJson(unpacked, tally.oddities) : unpacked, options.onText)
  return {
    /** Base name, without the query string that a download from a URL leaves in it; of an entry with its name. */
    name: path === '-' ? 'stdin' : lastSegment(path) + (stored.entry === undefined ? '' : `#${stored.entry.name}`),
    /** Size as it is stored; undefined for a pipe, and if its server does not say. */
    size: stored.facts.size,
    /** Bytes of JSON text that it can have at most; undefined if its size is not known. */
    mostText: stored.facts.size === undefined ? undefined : mostTextOf(stored.facts.size),
    /** The strong entity tag of a remote file, once it has been read; undefined if there is none. */
    etag: () => stored.facts.etag,
    /** Bytes of the packed file that have been read so far. */
    bytesRead: () => tally.read,
    /** SHA-256 of the JSON text in hex, once it has been read: the same for a file and its gzip. */
    contentHash: () => (tally.textHash ?? tally.hash).copy().digest('hex'),
    /** SHA-256 of the compressed bytes in hex, once they have been read. */
    packedHash: () => tally.hash.copy().digest('hex'),
    /** What was unusual about its form, once it has been read. */
    oddities: () => tally.oddities.list(),
    /** The decompressed JSON text in UTF-8; can be read once. */
    chunks,
    async [Symbol.asyncDispose]() {
      await chunks.return(undefined)
      await stored[Symbol.asyncDispose]()
    },
  }
}

/** @throws LoadRefused if no file is fetched */
export function requireRemote(address: string, remote: RemoteFiles | undefined): RemoteFiles {
  if (remote === undefined) throw new LoadRefused(address, 'is a URL: download it, then load the file')
  return remote
}

async function openLocal(path: string): Promise<StoredBytes> {
  const { size, entry } = await look(path)
  // A stream takes a buffer of this size for each read, however small the file is.
  const highWaterMark = Math.min(readSize, size === undefined ? readSize : size + 1)
  const stream = entry?.stream ?? (path === '-' ? process.stdin : createReadStream(path, { highWaterMark }))
  return {
    facts: { size, etag: undefined },
    entry,
    chunks: readable(stream, path),
    [Symbol.asyncDispose]: async () => void stream.destroy(),
  }
}

/**
 * SHA-256 of a local file's compressed bytes in hex.
 *
 * @throws LoadRefused if it cannot be read
 */
export async function hashPackedFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of (await openLocal(path)).chunks) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * Size of a local file as it is packed; undefined for a pipe.
 *
 * @throws LoadRefused if it cannot be read
 */
export const sizeOfPacked = async (path: string): Promise<number | undefined> => (await look(path)).size

/** Looks at a local file, and at an entry of one if there is no such file. */
async function look(path: string): Promise<{ readonly size: number | undefined; readonly entry?: ZipEntry }> {
  if (path === '-') return { size: undefined }
  try {
    const info = await stat(path)
    return { size: info.isFile() ? info.size : undefined }
  } catch (cause) {
    const entry = (await openZipEntry(path)) ?? refuseUnreadable(path, cause)
    return { size: entry.size, entry }
  }
}

/**
 * SHA-256 of a file's JSON text in hex, as `contentHash` of `openPublishedBytes`.
 *
 * @throws LoadRefused if it cannot be read or is not whole
 */
export async function hashJsonText(path: string, options: ReadingOptions): Promise<string> {
  await using published = await openPublishedBytes(path, options)
  for await (const _ of published.chunks);
  return published.contentHash()
}

async function* watch(
  { chunks, facts: { size } }: StoredBytes,
  tally: Tally,
  { signal, onRead }: ReadingOptions,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    tally.read += chunk.length
    tally.hash.update(chunk)
    onRead?.(tally.read, size)
    yield chunk
  }
}

async function* tellText(chunks: AsyncGenerator<Buffer>, onText: ReadingOptions['onText']): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onText?.(chunk.length)
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

function refuseUnreadable(path: string, cause: unknown): never {
  throw new LoadRefused(path, `cannot be read (${codeOf(cause) || 'unknown error'})`, { cause })
}
