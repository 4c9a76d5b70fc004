import { isRemote, resolveLocation } from '../../fetch/file-address.ts'
import { toOneLine } from '../../fetch/load-refused.ts'
import type { ReadingOptions } from '../../fetch/published-bytes.ts'
import { retryIfChanged } from '../../fetch/remote/changed-while-read.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { GivenNames, LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { attemptEach, type EntryVisitor, readEntries } from './list-entries.ts'
import { readTableOfContents, type TableOfContents } from './table-of-contents.ts'

/**
 * Reads a table of contents. A remote one is read again when the signatures of its files expire, which ends the load if
 * it has been published again meanwhile.
 *
 * @param toc path or address
 * @throws LoadRefused as `readTableOfContents`
 */
export async function readContents(
  toc: string,
  given: GivenNames & Pick<LoadRequest, 'assumeVersion' | 'repair'>,
  { remote, signal, onProgress }: Pick<LoadDeps, 'remote' | 'signal' | 'onProgress'>,
): Promise<TableOfContents> {
  const onRead = (bytesRead: number, size: number | undefined) =>
    onProgress?.({ step: 'listing', file: toc, bytesRead, size })
  const options = { remote, signal, repair: given.repair }
  const contents = await retryIfChanged(() => readTableOfContents(toc, given, { ...options, onRead }))
  if (remote === undefined || !isRemote(toc)) return contents
  remote.locations.relistBy({
    lists: (address) => address !== toc,
    relist: () => relist(toc, contents.lastUpdatedOn, (location) => remote.locations.learn(location), options),
  })
  return contents
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
  const visitor: EntryVisitor = {
    entry: (value, position, base) =>
      attemptEach(value, position, 'in_network_files', (file) => take(resolveLocation(file.text('location'), base))),
  }
  const { lastUpdatedOn: now } = await retryIfChanged(() => readEntries(toc, visitor, options))
  if (now !== lastUpdatedOn) throw new TableOfContentsChanged(toc, lastUpdatedOn, now)
}

/** The payer has published another month during a load: its files must not be mixed with those of the month before. */
export class TableOfContentsChanged extends PrintableError {
  constructor(address: string, before: string | undefined, now: string | undefined) {
    const dates = [before, now].map((date) => JSON.stringify(date ?? null).slice(0, 40))
    super(
      `${toOneLine(address)} was published again during the load (last_updated_on ${dates[0]}, now ${dates[1]}): load it again`,
    )
  }
}
