import { newLease, type Worker } from '../../core/loads/lease-file.ts'
import type { OpenFile, StoredListing } from '../../core/loads/load-work.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import type { ReadingOptions } from '../../fetch/published-bytes.ts'
import type { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { readLocation } from '../../fetch/remote/signed-locations.ts'
import { relist } from '../plans/read-contents.ts'
import { keepLease, type StepDeps } from './steps.ts'

/** Pause between two looks for a URL that another worker is about to store, in milliseconds. */
const listingPause = 5_000

/** Maximum number of concurrent writes. */
const writesAtOnce = 25

/** The work of a worker whose URLs are renewed. */
export interface Renewal {
  /** Address of the table of contents that lists the files. */
  readonly toc: string
  readonly listing: StoredListing
  readonly worker: Worker
  readonly reading: ReadingOptions & { readonly remote: RemoteFiles }
  readonly deps: Pick<StepDeps, 'repeat' | 'waiting'>
  /** Returns the file that the worker reads now; undefined before its first one. */
  readonly currentFile: () => OpenFile | undefined
}

/**
 * Renews the URL of the file that a worker reads when its signature has expired. One worker at a time reads the table
 * of contents again and stores the URLs of all open files; the others wait for it.
 */
export function renewLocation({ toc, listing, worker, reading, deps, currentFile }: Renewal): void {
  const { loadId, name, work, now } = worker
  const { locations } = reading.remote
  const take = () => work.takeTask(loadId, 'list', newLease(worker), now())
  /** Learns the stored URL of a file. @returns true if another worker has stored a new one */
  const isRenewed = async ({ identity, key }: OpenFile): Promise<boolean> => {
    const openFile = await work.readOpen(loadId, key)
    if (openFile === undefined || openFile.location === locations.latestUrl(identity)) return false
    locations.learn(openFile.location, openFile.listedAt)
    return true
  }
  locations.relistBy({
    // Only the table of contents lists URLs again; those inside a file are as they were.
    lists: (address) => address === currentFile()?.identity,
    relist: async () => {
      const file = currentFile()
      if (file === undefined) return
      for (;;) {
        if (await isRenewed(file)) return
        if ((await take()) === 'written') break
        await deps.waiting.sleep(listingPause, reading.signal)
      }
      try {
        using _lease = keepLease(take, deps.repeat)
        // Another worker may have finished between the look and the lease.
        if (await isRenewed(file)) return
        await storeLocations(toc, listing, worker, reading)
        await isRenewed(file)
      } finally {
        await work.dropTask(loadId, 'list', name)
      }
    },
  })
}

/** Reads the table of contents again, and stores the URLs of all open files. */
async function storeLocations(
  toc: string,
  { lastUpdatedOn }: StoredListing,
  { loadId, work, now }: Worker,
  reading: ReadingOptions,
): Promise<void> {
  const listedAt = now()
  const keys = new Map((await Array.fromAsync(work.listOpen(loadId))).map(({ identity, key }) => [identity, key]))
  const urls = new Map<string, string>()
  const take = (location: string) => {
    const { address, url } = readLocation(location)
    const key = keys.get(address)
    if (key !== undefined) urls.set(key, url)
  }
  await relist(toc, lastUpdatedOn, take, reading)
  await workAtOnce(urls, writesAtOnce, ([key, url]) => work.relocate(loadId, key, url, listedAt))
}
