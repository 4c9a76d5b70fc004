import { newLease, renewSeconds } from '../../core/loads/claim-file.ts'
import type { OpenFile, StoredListing } from '../../core/loads/load-work.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import type { RemoteFiles } from '../fetch/remote/remote-files.ts'
import { readLocation } from '../fetch/remote/signed-locations.ts'
import { relist } from '../plans/read-contents.ts'
import type { StepDeps } from './step-deps.ts'

interface Renewing extends StepDeps {
  readonly loadId: string
  readonly worker: string
  readonly remote: RemoteFiles
  readonly signal: AbortSignal
  readonly repair: boolean | undefined
  /** The file that this worker reads. */
  readonly current: { readonly file: OpenFile | undefined }
}

/** Milliseconds between two looks at what another worker lists. */
const listingPause = 5_000

/** Maximum number of concurrent writes. */
const writesAtOnce = 25

/**
 * Renews the URL of the file that a worker reads when its signature has expired. One worker at a time reads the table of
 * contents again and stores the URLs of all open files; the others wait for it.
 */
export function renewLocation(toc: string, listing: StoredListing, renewing: Renewing): void {
  const { loadId, worker, remote, signal, current, work, now, waiting } = renewing
  const { locations } = remote
  const take = () => work.takeTask(loadId, 'list', newLease({ name: worker, now }), now())
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
        await waiting.sleep(listingPause, signal)
      }
      const renewals = renewing.repeat?.(renewSeconds, () => void take().catch(() => undefined))
      try {
        // The worker before may have finished between the look and the lease.
        if (await isRenewed(file)) return
        await storeLocations(toc, listing, renewing)
        await isRenewed(file)
      } finally {
        renewals?.stop()
        await work.dropTask(loadId, 'list', worker)
      }
    },
  })
}

async function storeLocations(toc: string, { lastUpdatedOn }: StoredListing, renewing: Renewing): Promise<void> {
  const { loadId, work, remote, signal, repair, now } = renewing
  const listedAt = now()
  const open = new Map((await Array.fromAsync(work.listOpen(loadId))).map(({ identity, key }) => [identity, key]))
  const found = new Map<string, { readonly key: string; readonly location: string }>()
  const take = (location: string) => {
    const { address, url } = readLocation(location)
    const key = open.get(address)
    if (key !== undefined) found.set(address, { key, location: url })
  }
  await relist(toc, lastUpdatedOn, take, { remote, signal, repair })
  await workAtOnce([...found.values()], writesAtOnce, ({ key, location }) =>
    work.relocate(loadId, key, location, listedAt),
  )
}
