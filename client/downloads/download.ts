import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DownloadFailed } from '../errors.ts'
import { describeCause } from '../transport.ts'
import type { DownloadWorld, WantedFile } from './download-file.ts'
import { downloadFile } from './download-file.ts'
import type { ResultFile } from './file-urls.ts'
import { FileUrls } from './file-urls.ts'
import { removeLeftovers } from './part-file.ts'

/** Progress of a download. */
export interface DownloadProgress {
  /** Bytes on disk, including those of earlier runs. */
  readonly bytes: number
  /** Bytes of all files; undefined until the size of each is known. */
  readonly totalBytes: number | undefined
  /** Number of complete files. */
  readonly files: number
  readonly totalFiles: number
}

/** Options of a download. */
export interface DownloadOptions {
  /** Aborts the download; received bytes are kept. */
  readonly signal?: AbortSignal
  /** Number of concurrent files. @default 4 */
  readonly filesAtOnce?: number
  readonly onProgress?: (progress: DownloadProgress) => void
}

/** A downloaded file of a result. */
export interface DownloadedFile {
  readonly path: string
  readonly bytes: number
  /** What was compared with what the service states. A file that was there already is not read again: `size`. */
  readonly verified: 'checksum' | 'size'
}

/**
 * Downloads files into a folder, in their order.
 *
 * @param list returns the files with fresh URLs
 */
export async function downloadFiles(
  list: () => Promise<readonly (ResultFile & WantedFile)[]>,
  folder: string,
  world: DownloadWorld,
  { signal, filesAtOnce = 4, onProgress }: DownloadOptions,
): Promise<readonly DownloadedFile[]> {
  const files = await list()
  await makeFolder(folder)
  const urls = new FileUrls(files, list)
  const states = files.map(({ bytes: total }) => ({ bytes: 0, total, isWhole: false }))
  const report = () => onProgress?.(summarise(states))
  const downloaded: DownloadedFile[] = []
  // The first failure stops the other downloads; their bytes are kept.
  const failure = new AbortController()
  const stop = signal === undefined ? failure.signal : AbortSignal.any([signal, failure.signal])
  const waiting = files.entries()
  const work = async () => {
    for (const [index, file] of waiting) {
      const show = (bytes: number, total = file.bytes) => {
        states[index] = { bytes, total, isWhole: false }
        report()
      }
      const { bytes, verified } = await downloadFile(file, folder, urls, world, show, stop)
      states[index] = { bytes, total: bytes, isWhole: true }
      downloaded[index] = { path: join(folder, file.name), bytes, verified }
      report()
    }
  }
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(filesAtOnce, files.length) }, () =>
      work().catch((error: unknown) => {
        failure.abort(error)
        throw error
      }),
    ),
  )
  signal?.throwIfAborted()
  if (failure.signal.aborted) throw failure.signal.reason
  const failed = ends.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  await removeLeftovers(
    folder,
    files.map(({ name }) => name),
  )
  return downloaded
}

function summarise(
  states: readonly { readonly bytes: number; readonly total: number | undefined; readonly isWhole: boolean }[],
): DownloadProgress {
  const totals = states.flatMap(({ total }) => total ?? [])
  return {
    bytes: states.reduce((sum, { bytes }) => sum + bytes, 0),
    totalBytes: totals.length === states.length ? totals.reduce((sum, total) => sum + total, 0) : undefined,
    files: states.filter(({ isWhole }) => isWhole).length,
    totalFiles: states.length,
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (cause) {
    throw new DownloadFailed(`the folder ${folder} cannot be made: ${describeCause(cause)}`, { cause })
  }
}
