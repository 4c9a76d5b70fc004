import { constants } from 'node:fs'
import { join } from 'node:path'
import { codeOf, DownloadFailed } from '../errors.ts'
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

/** A file to download, with the known facts about it. */
export interface WantedFile {
  readonly name: string
  readonly bytes: number
  readonly checksum?: Checksum | null
}

/** Called after each change with the bytes of the file on disk. */
export type FileProgress = (bytes: number) => void

/** Number of consecutive failures without a new byte after which a download fails. */
const maxIdleFailures = 6

/** A file that is whole. */
export interface WholeFile {
  readonly bytes: number
  /** What was compared with what the service states. */
  readonly verified: 'checksum' | 'size'
}

export async function downloadFile(
  wanted: WantedFile,
  folder: string,
  urls: FileUrls,
  world: DownloadWorld,
  onProgress: FileProgress,
  signal: AbortSignal,
): Promise<WholeFile> {
  const path = join(folder, wanted.name)
  const there = await writing(path, () => verifyThere(path, wanted))
  if (there !== undefined) return { bytes: wanted.bytes, verified: there }
  const part = await writing(path, () => PartialFile.open(path, wanted.bytes))
  let isClosed = false
  try {
    for (let isSecond = false; ; isSecond = true) {
      await fetchWhole(part, wanted.name, urls, world, onProgress, signal)
      const { fault, verified } = await verify(part, wanted)
      if (fault === undefined) {
        const { size } = part
        isClosed = true
        await writing(path, () => part.finish())
        return { bytes: size, verified }
      }
      // After a power loss a file may have its length without its bytes.
      await part.restart()
      if (isSecond) throw new DownloadFailed(`${wanted.name} arrived damaged, twice: ${fault}`)
    }
  } finally {
    if (!isClosed) await part.close()
  }
}

async function fetchWhole(
  part: PartialFile,
  name: string,
  urls: FileUrls,
  world: DownloadWorld,
  onProgress: FileProgress,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0
  let refusals = 0
  while (!part.isWhole) {
    onProgress(part.size)
    const before = part.size
    const signed = urls.find(name)
    try {
      await fetchRest(part, signed.url, world.fetch, () => onProgress(part.size), signal)
      if (!part.isWhole) throw new Error('the connection was closed early')
    } catch (error) {
      signal.throwIfAborted()
      if (part.size > before) {
        failures = 0
        refusals = 0
      }
      const failure = describeFailure(name, part, error)
      if (isOfDisk(error) || error instanceof RangeError) throw failure
      if (error instanceof UrlRefused) {
        refusals += 1
        if (refusals > 1) throw failure
        await urls.renew(signed)
        continue
      }
      failures += 1
      if (failures > maxIdleFailures) throw failure
      await world.sleep(backoffMs(failures, world.random), signal)
    }
  }
  onProgress(part.size)
}

/** What of a file that is there already equals what is wanted; undefined if it must be fetched. */
async function verifyThere(path: string, { bytes, checksum }: WantedFile): Promise<WholeFile['verified'] | undefined> {
  const handle = await openPlainFile(path, constants.O_RDONLY).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  try {
    if (handle === undefined || (await handle.stat()).size !== bytes) return undefined
    const isRight = checksum ? await hasChecksum(readBytes(handle), checksum) : undefined
    return isRight === undefined ? 'size' : isRight ? 'checksum' : undefined
  } finally {
    await handle?.close()
  }
}

/** Compares a file with what is known of it. */
async function verify(
  part: PartialFile,
  { bytes, checksum }: WantedFile,
): Promise<{ readonly fault?: string; readonly verified: WholeFile['verified'] }> {
  if (part.size !== bytes) return { fault: `it has ${part.size} bytes and not ${bytes}`, verified: 'size' }
  const isRight = checksum ? await hasChecksum(part.read(), checksum) : undefined
  if (isRight === false) return { fault: `its ${checksum?.algorithm} is wrong`, verified: 'size' }
  // Source: Apache Parquet format, "File Format".
  const ends = (await part.readEnds(4)).map((end) => Buffer.from(end).toString('latin1'))
  const isParquet = ends.every((end) => end === 'PAR1')
  return { ...(!isParquet && { fault: 'it is not a Parquet file' }), verified: isRight ? 'checksum' : 'size' }
}

/** Adds the file's name to errors of the file system. */
async function writing<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (cause) {
    throw new DownloadFailed(`${path} cannot be written: ${describeCause(cause)}`, { cause })
  }
}

const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'EFBIG', 'EBADF'])

/** Retrying on this disk would fail again. */
const isOfDisk = (error: unknown) =>
  error instanceof Error && 'syscall' in error && diskCodes.has(String(codeOf(error)))

function describeFailure(name: string, { size, origin }: PartialFile, cause: unknown): DownloadFailed {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(String(codeOf(cause)))
  const reason = isFull ? 'the disk is full' : describeCause(cause)
  const kept = origin === undefined || size === 0 ? '' : `; ${size} of ${origin.total} bytes are here and are kept`
  return new DownloadFailed(`${name} was not downloaded: ${reason}${kept}`, { cause })
}
