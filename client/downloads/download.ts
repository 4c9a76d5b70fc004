import { join } from 'node:path'
import { type DownloadWorld, downloadFile, type FileFacts } from './download-file.ts'
import { FileUrls, type ResultFile } from './file-urls.ts'
import { makeFolder } from './make-folder.ts'
import { removeLeftovers } from './partial-file.ts'
import { refuseHostileFiles } from './refuse-hostile-files.ts'

/** Progress of a download. */
export interface DownloadProgress {
  /** Bytes on disk, including those of earlier runs. */
  readonly bytes: number
  /** Bytes of all files. */
  readonly totalBytes: number
  /** Number of complete files. */
  readonly files: number
  /** Number of files of the result. */
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
  /** The fact that was compared with the manifest: `size` if it has no checksum of the whole file. */
  readonly verified: 'checksum' | 'size'
}

/**
 * Downloads files into a folder, in their order.
 *
 * @param list returns the files with fresh URLs
 * @throws DownloadFailed before anything is written if a name could lead out of the folder
 */
export async function downloadFiles(
  list: () => Promise<readonly (ResultFile & FileFacts)[]>,
  folder: string,
  world: DownloadWorld,
  { signal, filesAtOnce = 4, onProgress }: DownloadOptions,
): Promise<readonly DownloadedFile[]> {
  const files = await list()
  refuseHostileFiles(files)
  await makeFolder(folder)
  const urls = new FileUrls(files, list)
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const states = files.map(() => ({ bytes: 0, isWhole: false }))
  const report = (index: number, bytes: number, isWhole: boolean) => {
    states[index] = { bytes, isWhole }
    onProgress?.({
      bytes: states.reduce((sum, state) => sum + state.bytes, 0),
      totalBytes,
      files: states.filter((state) => state.isWhole).length,
      totalFiles: files.length,
    })
  }
  const results: DownloadedFile[] = []
  // The first failure stops the other downloads; their bytes are kept.
  const failure = new AbortController()
  const stop = signal === undefined ? failure.signal : AbortSignal.any([signal, failure.signal])
  const queue = files.entries()
  const work = async () => {
    for (const [index, file] of queue) {
      const show = (bytes: number) => report(index, bytes, false)
      const options = { ...world, urls, onProgress: show, signal: stop }
      const { bytes, verified } = await downloadFile(file, join(folder, file.name), options)
      results[index] = { path: join(folder, file.name), bytes, verified }
      report(index, bytes, true)
    }
  }
  const workers = Math.min(filesAtOnce, files.length)
  await Promise.all(Array.from({ length: workers }, () => work().catch((error: unknown) => failure.abort(error))))
  signal?.throwIfAborted()
  failure.signal.throwIfAborted()
  await removeLeftovers(
    folder,
    files.map(({ name }) => name),
  )
  return results
}
