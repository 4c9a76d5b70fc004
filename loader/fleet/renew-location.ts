import { newLease, type Worker } from '../../core/loads/claim-file.ts'
import type { OpenFile, StoredListing } from '../../core/loads/load-work.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import type { ReadingOptions } from '../../fetch/published-bytes.ts'
import type { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { readLocation } from '../../fetch/remote/signed-locations.ts'
import { relist } from '../plans/read-contents.ts'
import { keepLease, type StepDeps } from './steps.ts'

/** Milliseconds between two looks at what another worker lists. */
const listingPause = 5_000

/** Maximum number of concurrent writes. */
const writesAtOnce = 25

/**
 * Renews the URL of the file that a worker reads when its signature has expired. One worker at a time reads the table of
 * contents again and stores the URLs of all open files; the others wait for it.
 *
 * @param current the file that this worker reads
 */
export function renewLocation(
  toc: string,
  listing: StoredListing,
  worker: Worker,
  reading: ReadingOptions & { readonly remote: RemoteFiles },
  deps: Pick<StepDeps, 'repeat' | 'waiting'>,
  current: { readonly file?: OpenFile },
): void {
  const { loadId, name, work, now } = worker
  const { locations } = reading.remote
  const take = () => work.takeTask(loadId, 'list', newLease(worker), now())
  /** Whether another worker has stored another URL of the file. */
  const isRenewed = async ({ identity, key }: OpenFile): Promise<boolean> => {
    const stored = await work.readOpen(loadId, key)
    if (stored === undefined || stored.location === locations.current(identity)) return false
    locations.learn(stored.location, stored.listedAt)
    return true
  }
  locations.relistBy({
    // Only the table of contents lists URLs again; those inside a file are as they were.
    lists: (address) => address === current.file?.identity,
    relist: async () => {
      const { file } = current
      if (file === undefined) return
      for (;;) {
        if (await isRenewed(file)) return
        if ((await take()) === 'written') break
        await deps.waiting.sleep(listingPause, reading.signal)
      }
      try {
        using _lease = keepLease(take, deps.repeat)
        // The worker before may have finished between the look and the lease.
        if (await isRenewed(file)) return
        await storeLocations(toc, listing, worker, reading)
        await isRenewed(file)
      } finally {
        await work.dropTask(loadId, 'list', name)
      }
    },
  })
}

async function storeLocations(
  toc: string,
  { lastUpdatedOn }: StoredListing,
  { loadId, work, now }: Worker,
  reading: ReadingOptions,
): Promise<void> {
  const listedAt = now()
  const open = new Map((await Array.fromAsync(work.listOpen(loadId))).map(({ identity, key }) => [identity, key]))
  const found = new Map<string, string>()
  const take = (location: string) => {
    const { address, url } = readLocation(location)
    const key = open.get(address)
    if (key !== undefined) found.set(key, url)
  }
  await relist(toc, lastUpdatedOn, take, reading)
  await workAtOnce(found, writesAtOnce, ([key, url]) => work.relocate(loadId, key, url, listedAt))
}
