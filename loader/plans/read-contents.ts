import { isRemote } from '../files/file-address.ts'
import type { ReadingOptions } from '../files/published-bytes.ts'
import type { LoadDeps } from '../load-request.ts'
import { listLocations } from '../published/list-entries.ts'
import { readTableOfContents, type TableOfContents } from '../published/table-of-contents.ts'
import { retryIfChanged } from '../remote/changed-while-read.ts'
import { TableOfContentsChanged } from '../remote/table-of-contents-changed.ts'
import type { GivenNames } from './plan-names.ts'

/**
 * Reads a table of contents. A remote one is read again when the signatures of its files expire, which ends the load if
 * it has been published again meanwhile.
 *
 * @param toc path or address
 * @throws LoadRefused as `readTableOfContents`
 */
export async function readContents(
  toc: string,
  given: GivenNames,
  { remote, signal, onProgress }: Pick<LoadDeps, 'remote' | 'signal' | 'onProgress'>,
): Promise<TableOfContents> {
  const onEntry = (bytesRead: number, size: number | undefined) =>
    onProgress?.({ step: 'listing', file: toc, bytesRead, size })
  const read = await retryIfChanged(() => readTableOfContents(toc, given, { remote, signal, onEntry }))
  if (remote === undefined || !isRemote(toc)) return read
  remote.locations.relistBy({
    lists: (address) => address !== toc,
    relist: () => relist(toc, read.lastUpdatedOn, (location) => remote.locations.learn(location), { remote, signal }),
  })
  return read
}

/**
 * Lists the URLs of all files of a table of contents again.
 *
 * @param take gets each URL
 * @throws TableOfContentsChanged if it has been published again since it was read
 */
export async function relist(
  toc: string,
  lastUpdatedOn: string | undefined,
  take: (location: string) => void,
  options: ReadingOptions,
): Promise<void> {
  const { lastUpdatedOn: now } = await retryIfChanged(() => listLocations(toc, take, options))
  if (now !== lastUpdatedOn) throw new TableOfContentsChanged(toc, lastUpdatedOn, now)
}
