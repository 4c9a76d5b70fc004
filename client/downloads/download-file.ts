import { constants } from 'node:fs'
import { codeOf, DownloadFailed, Unreachable } from '../errors.ts'
import { backoffMs, type Sleep } from '../retries.ts'
import { describeCause } from '../transport.ts'
import { type Checksum, hasChecksum } from './checksum.ts'
import { fetchRest, UrlRefused } from './fetch-rest.ts'
import type { FileUrls } from './file-urls.ts'
import { openPlainFile, PartialFile, readBytes } from './partial-file.ts'

/** The environment of a download. */
export interface DownloadWorld {
  readonly fetch: typeof fetch
  readonly sleep: Sleep
  readonly random: () => number
}

/** The facts of a manifest about a file. */
export interface FileFacts {
  readonly name: string
  readonly bytes: number
  readonly checksum?: Checksum | null
}

/** Options of the download of one file. */
export interface FileOptions extends DownloadWorld {
  readonly urls: FileUrls
  /** Called after each change with the bytes of the file on disk. */
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Number of consecutive failures without a new byte after which a download fails. */
const maxIdleFailures = 6

/** A file that is whole. */
export interface WholeFile {
  readonly bytes: number
  /** The fact that was compared with the manifest. */
  readonly verified: 'checksum' | 'size'
}

/**
 * Downloads a file, resuming an earlier download, and verifies it. A complete file at `path` is not fetched again.
 *
 * @throws DownloadFailed if the file cannot be read, fetched or written, or arrives damaged twice
 */
export async function downloadFile(facts: FileFacts, path: string, options: FileOptions): Promise<WholeFile> {
  const verified = await blameFile(path, 'read', () => verifyExisting(path, facts))
  if (verified !== undefined) return { bytes: facts.bytes, verified }
  const part = await blameFile(path, 'written', () => PartialFile.open(path, facts.bytes))
  let isClosed = false
  try {
    for (let isSecond = false; ; isSecond = true) {
      await fetchWhole(part, facts.name, options)
      const { fault, verified } = await verify(part, facts)
      if (fault === undefined) {
        const { size } = part
        isClosed = true
        await blameFile(path, 'written', () => part.finish())
        return { bytes: size, verified }
      }
      // After a power loss a file may have its length without its bytes.
      await part.restart()
      if (isSecond) throw new DownloadFailed(`${facts.name} arrived damaged, twice: ${fault}`)
    }
  } finally {
    if (!isClosed) await part.close()
  }
}

/** Fetches the missing bytes of a file, with retries and fresh URLs as needed. */
async function fetchWhole(part: PartialFile, name: string, options: FileOptions): Promise<void> {
  const { urls, onProgress, signal } = options
  let failures = 0
  let refusals = 0
  while (!part.isWhole) {
    onProgress(part.size)
    const before = part.size
    const signed = urls.find(name)
    try {
      await fetchRest(part, signed.url, options)
      if (!part.isWhole) throw new Error('the connection was closed early')
    } catch (error) {
      signal.throwIfAborted()
      if (part.size > before) {
        failures = 0
        refusals = 0
      }
      const failure = describeFailure(name, part, error)
      if (isOfDisk(error) || error instanceof RangeError || error instanceof Unreachable) throw failure
      if (error instanceof UrlRefused) {
        refusals += 1
        if (refusals > 1) throw failure
        await urls.renew(signed)
        continue
      }
      failures += 1
      if (failures > maxIdleFailures) throw failure
      await options.sleep(backoffMs(failures, options.random), signal)
    }
  }
  onProgress(part.size)
}

/** Returns the fact by which an existing file equals the manifest's; undefined if the file must be fetched. */
async function verifyExisting(
  path: string,
  { bytes, checksum }: FileFacts,
): Promise<WholeFile['verified'] | undefined> {
  const handle = await openPlainFile(path, constants.O_RDONLY).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  try {
    if (handle === undefined || (await handle.stat()).size !== bytes) return undefined
    const isRight = checksum ? await hasChecksum(readBytes(handle), checksum) : undefined
    if (isRight === undefined) return 'size'
    return isRight ? 'checksum' : undefined
  } finally {
    await handle?.close()
  }
}

/** Compares a downloaded file with the facts of the manifest. */
async function verify(
  part: PartialFile,
  { bytes, checksum }: FileFacts,
): Promise<{ readonly fault?: string; readonly verified: WholeFile['verified'] }> {
  if (part.size !== bytes) return { fault: `it has ${part.size} bytes and not ${bytes}`, verified: 'size' }
  const isRight = checksum ? await hasChecksum(part.read(), checksum) : undefined
  if (isRight === false) return { fault: `its ${checksum?.algorithm} is wrong`, verified: 'size' }
  // Source: Apache Parquet format, "File Format".
  const ends = (await part.readEnds(4)).map((end) => Buffer.from(end).toString('latin1'))
  const isParquet = ends.every((end) => end === 'PAR1')
  return { ...(!isParquet && { fault: 'it is not a Parquet file' }), verified: isRight ? 'checksum' : 'size' }
}

/** Adds the file's name and what could not be done with it to errors of the file system. */
async function blameFile<Result>(path: string, deed: 'read' | 'written', act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (cause) {
    throw new DownloadFailed(`${path} cannot be ${deed}: ${describeCause(cause)}`, { cause })
  }
}

const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'EFBIG', 'EBADF'])

/** Returns true for a fault of the disk, on which a retry would fail again. */
const isOfDisk = (error: unknown) =>
  error instanceof Error && 'syscall' in error && diskCodes.has(String(codeOf(error)))

function describeFailure(name: string, { size, origin }: PartialFile, cause: unknown): DownloadFailed {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(String(codeOf(cause)))
  const reason = isFull ? 'the disk is full' : describeCause(cause)
  const progress = origin === undefined || size === 0 ? '' : `; ${size} of ${origin.total} bytes are here and are kept`
  return new DownloadFailed(`${name} was not downloaded: ${reason}${progress}`, { cause })
}
