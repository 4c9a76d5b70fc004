import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { codeOf } from './error-code.ts'
import { isRemote, nameOfFile } from './file-address.ts'
import { LoadRefused, nameFault } from './load-refused.ts'
import type { RemoteBody } from './remote/remote-body.ts'
import type { RemoteFiles } from './remote/remote-files.ts'
import { repairJson } from './repair-json.ts'
import { mostTextOf, Tally, unpack } from './unpack.ts'
import type { ZipWatch } from './zip/read-zip.ts'
import { openZipEntry, type ZipEntry } from './zip/zip-directory.ts'

/** Options of reading a published file. */
export interface ReadingOptions {
  /** Fetches remote files; without it they are refused. */
  readonly remote?: RemoteFiles | undefined
  readonly signal?: AbortSignal | undefined
  /** True if faults of JSON that can be cured in one way only are repaired and counted. @default false */
  readonly repair?: boolean | undefined
  /** Chooses the entry of a zip by its name. @default - a rate file */
  readonly isWanted?: ZipWatch['isWanted']
  /** Called after each chunk of the packed file. */
  readonly onRead?: ((bytesRead: number, size: number | undefined) => void) | undefined
  /** Called before each chunk of the JSON text. */
  readonly onText?: ((bytes: number) => void) | undefined
}

/** The bytes of a local or remote file. A local one has no entity tag. */
interface StoredBytes extends Pick<RemoteBody, 'facts' | 'chunks'>, AsyncDisposable {
  /** Set for a file within a local zip of several rate files. */
  readonly entry?: ZipEntry | undefined
}

/** Size of a read from disk, in bytes. */
const readSize = 1 << 20

/**
 * Opens a published file as a stream of its JSON text. The file may be plain, a gzip of any number of members, a zip
 * with one rate file, which may itself be packed once more, or an entry that `splitZips` named. The format is detected
 * from the first bytes, because published names are unreliable. `-` is standard input.
 *
 * @throws LoadRefused, here and while the chunks are read, if the file cannot be read or is not whole
 */
export async function openPublishedBytes(path: string, options: ReadingOptions = {}) {
  const storedBytes: StoredBytes = isRemote(path)
    ? await requireRemote(path, options.remote).open(path, options.signal)
    : await openLocal(path)
  const { entry } = storedBytes
  const { size } = storedBytes.facts
  const tally = new Tally()
  for (const name of entry?.otherNames ?? []) tally.oddities.note('zip-other', () => name)
  const unpacked = unpack(countBytes(storedBytes, tally, options), tally, {
    isWanted: options.isWanted,
    encoding: storedBytes.facts.encoding,
  })
  const chunks = reportText(options.repair ? repairJson(unpacked, tally.oddities) : unpacked, path, options.onText)
  return {
    /** Base name, that of an address without its query string; after it, the name of the entry of a zip. */
    name: path === '-' ? 'stdin' : nameOfFile(entry?.archive ?? path) + (entry === undefined ? '' : `#${entry.name}`),
    /** Packed size in bytes; undefined for a pipe, and if the server does not say. */
    size,
    /** Maximum size of the JSON text in bytes; undefined if the packed size is unknown. */
    mostText: size === undefined ? undefined : mostTextOf(size),
    /** The address that answered, after redirects; the path of a local file. */
    address: storedBytes.facts.address ?? path,
    /** The strong entity tag of a remote file, final once the file has been read; undefined if there is none. */
    etag: () => storedBytes.facts.etag,
    /** Bytes of the packed file that have been read so far. */
    bytesRead: () => tally.bytesRead,
    /** SHA-256 of the JSON text in hex, once it has been read: the same for a file and its gzip. */
    contentHash: () => (tally.textHash ?? tally.hash).copy().digest('hex'),
    /** SHA-256 of the compressed bytes in hex, once they have been read. */
    packedHash: () => tally.hash.copy().digest('hex'),
    /** The file's odd forms, complete once it has been read. */
    oddities: () => tally.oddities.list(),
    /** The decompressed JSON text in UTF-8; can be read once. */
    chunks,
    async [Symbol.asyncDispose]() {
      await chunks.return(undefined)
      await storedBytes[Symbol.asyncDispose]()
    },
  }
}

/** Returns the fetcher of remote files. @throws LoadRefused if there is none */
export function requireRemote(address: string, remote: RemoteFiles | undefined): RemoteFiles {
  if (remote === undefined) throw new LoadRefused(address, 'is a URL: download it, then load the file')
  return remote
}

async function openLocal(path: string): Promise<StoredBytes> {
  const { size, entry } = await inspectLocal(path)
  // A stream allocates a buffer of this size for each read, even for a small file.
  const highWaterMark = Math.min(readSize, size === undefined ? readSize : size + 1)
  const stream = entry?.stream ?? (path === '-' ? process.stdin : createReadStream(path, { highWaterMark }))
  return {
    facts: { size, etag: undefined },
    entry,
    chunks: readStream(stream, path),
    [Symbol.asyncDispose]: async () => void stream.destroy(),
  }
}

/**
 * Returns the SHA-256 of a local file's compressed bytes in hex.
 *
 * @throws LoadRefused if it cannot be read
 */
export async function hashPackedFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of (await openLocal(path)).chunks) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * Returns the packed size of a local file in bytes; undefined for a pipe.
 *
 * @throws LoadRefused if it cannot be read
 */
export const sizeOfPacked = async (path: string): Promise<number | undefined> => (await inspectLocal(path)).size

/** Inspects a local file, or the entry of a zip archive if there is no file of that path. */
async function inspectLocal(path: string): Promise<{ readonly size: number | undefined; readonly entry?: ZipEntry }> {
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
 * Returns the SHA-256 of a file's JSON text in hex, as `contentHash` of `openPublishedBytes`.
 *
 * @throws LoadRefused if it cannot be read or is not whole
 */
export async function hashJsonText(path: string, options: ReadingOptions): Promise<string> {
  await using published = await openPublishedBytes(path, options)
  for await (const _ of published.chunks);
  return published.contentHash()
}

async function* countBytes(
  { chunks, facts: { size } }: StoredBytes,
  tally: Tally,
  { signal, onRead }: ReadingOptions,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    tally.bytesRead += chunk.length
    tally.hash.update(chunk)
    onRead?.(tally.bytesRead, size)
    yield chunk
  }
}

async function* reportText(
  chunks: AsyncGenerator<Buffer>,
  path: string,
  onText: ReadingOptions['onText'],
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of chunks) {
      onText?.(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw nameFault(path, error)
  }
}

async function* readStream(stream: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (cause) {
    refuseUnreadable(path, cause)
  }
}

function refuseUnreadable(path: string, cause: unknown): never {
  throw new LoadRefused(path, `cannot be read (${codeOf(cause) || 'unknown error'})`, { cause })
}
