import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DownloadedFile, type DownloadOptions, downloadFiles } from '../../client/downloads/download.ts'
import type { FileFacts } from '../../client/downloads/download-file.ts'
import { openStorage, type Storage } from './storage.ts'

/** Random bytes that begin and end as a Parquet file does. */
export const makeParquet = (bytes: number) =>
  Buffer.concat([Buffer.from('PAR1'), randomBytes(bytes), Buffer.from('PAR1')])

/** The files of a result. */
export const result = new Map(['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.parquet`, makeParquet(300_000)]))

/** The environment of downloads, without waits and chance. */
export const world = { fetch, sleep: async () => {}, random: () => 0 }

/** A storage with a result, and an empty folder for downloads. */
export interface DownloadSetup extends AsyncDisposable {
  readonly storage: Storage
  readonly folder: string
  /** Counts the times that URLs were signed. */
  readonly countSignings: () => number
  readonly download: (
    options?: DownloadOptions,
    factsOf?: (name: string) => Partial<FileFacts>,
  ) => Promise<readonly DownloadedFile[]>
}

export async function setUpDownloads(): Promise<DownloadSetup> {
  const storage = await openStorage(result)
  const folder = await mkdtemp(join(tmpdir(), 'download-'))
  let signings = 0
  return {
    storage,
    folder,
    countSignings: () => signings,
    download: (options = {}, factsOf = () => ({})) => {
      const list = async () => {
        signings += 1
        return storage.sign().map((file) => ({ ...file, ...factsOf(file.name) }))
      }
      return downloadFiles(list, folder, world, options)
    },
    [Symbol.asyncDispose]: async () => {
      await storage[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}
