import { isRemote } from '../files/file-address.ts'
import type { LoadDeps } from '../load-request.ts'
import { listLocations } from '../published/list-entries.ts'
import type { TableOfContents } from '../published/table-of-contents.ts'
import { readTableOfContents } from '../published/table-of-contents.ts'
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
  remote.locations.relistBy(toc, async () => {
    const learn = (location: string) => void remote.locations.learn(location)
    const { lastUpdatedOn } = await retryIfChanged(() => listLocations(toc, learn, { remote, signal }))
    if (lastUpdatedOn !== read.lastUpdatedOn) throw new TableOfContentsChanged(toc, read.lastUpdatedOn, lastUpdatedOn)
  })
  return read
}
