import type { CatalogueEntry } from './catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from './fee-schedule.ts'
import type { Catalogue, Page } from './ports.ts'

/** All entries of a catalogue or of one payer, including removed and ambiguous ones. */
export async function listAll(catalogue: Pick<Catalogue, 'list'>, payer?: string): Promise<readonly CatalogueEntry[]> {
  return (await Array.fromAsync(readEntries(catalogue, payer))).flat()
}

/** The entries of a catalogue or of one payer, a page at a time. */
export const readEntries = (catalogue: Pick<Catalogue, 'list'>, payer?: string) =>
  readPages((after?: FeeSchedule) => catalogue.list(pageOf(payer, after)))

/** Number of entries per read: the first of a page, and the largest. */
const entriesPerRead = { first: 100, max: 1000 } as const

/** Maximum number of entries that a page examines: a name can have 100,000 variants that are not listed. */
export const maxExaminedEntries = 10_000

type ListQuery = Parameters<Catalogue['list']>[0]

/**
 * Lists a page of the fee schedules that searches can name: plans by their name, and variants only of ambiguous names.
 * So searching for every fee schedule of all pages finds every row once. A page can be short, or empty, and still have
 * a next one.
 *
 * @param isShown true for an entry that is listed @default - all
 */
export async function listSearchable(
  catalogue: Pick<Catalogue, 'list' | 'find'>,
  query: ListQuery,
  isShown: (entry: CatalogueEntry) => boolean = () => true,
): Promise<Page<CatalogueEntry>> {
  const items: CatalogueEntry[] = []
  /** For each name that was read, true if it is ambiguous. */
  const names = new Map<string, boolean>()
  let after = query.after
  let examined = 0
  let size = Math.max(entriesPerRead.first, query.limit + 1)
  do {
    const limit = Math.min(size, entriesPerRead.max, maxExaminedEntries - examined)
    const page = await catalogue.list({ ...query, limit, ...(after && { after }) })
    items.push(...(await keepSearchable(catalogue, page.items, names)).filter(isShown))
    examined += page.items.length
    after = page.next
    size *= 2
  } while (after !== undefined && items.length <= query.limit && examined < maxExaminedEntries)
  const shown = items.slice(0, query.limit)
  const last = items.length > query.limit ? shown.at(-1) : after
  return { items: shown, ...(last && { next: { payer: last.payer, plan: last.plan } }) }
}

/** All fee schedules that `listSearchable` lists. */
export async function listAllSearchable(
  catalogue: Pick<Catalogue, 'list' | 'find'>,
  payer?: string,
): Promise<readonly CatalogueEntry[]> {
  return (await Array.fromAsync(readPages((after) => listSearchable(catalogue, pageOf(payer, after))))).flat()
}

const pageOf = (payer?: string, after?: FeeSchedule) => ({
  limit: entriesPerRead.max,
  ...(payer && { payer }),
  ...(after && { after }),
})

/** The pages of a list, each read when it is needed. */
export async function* readPages<Item, Position = FeeSchedule>(
  read: (after?: Position) => Promise<{ readonly items: readonly Item[]; readonly next?: Position }>,
): AsyncGenerator<readonly Item[]> {
  let after: Position | undefined
  do {
    const { items, next } = await read(after)
    yield items
    after = next
  } while (after !== undefined)
}

async function keepSearchable(
  catalogue: Pick<Catalogue, 'find'>,
  entries: readonly CatalogueEntry[],
  isAmbiguous: Map<string, boolean>,
): Promise<readonly CatalogueEntry[]> {
  const note = (entry: CatalogueEntry) => isAmbiguous.set(feeScheduleKey(entry), entry.state.status === 'ambiguous')
  const unread = new Map<string, FeeSchedule>()
  // A name comes before its variants, so only the first variants of a page may need their name.
  for (const entry of entries) {
    const name = nameOf(entry)
    if (name === undefined) note(entry)
    else if (!isAmbiguous.has(feeScheduleKey(name))) unread.set(feeScheduleKey(name), name)
  }
  for (const name of await catalogue.find([...unread.values()])) note(name)
  return entries.filter((entry) => {
    const { status } = entry.state
    if (status === 'relation') return true
    if (status !== 'active') return false
    const name = nameOf(entry)
    return name === undefined || isAmbiguous.get(feeScheduleKey(name)) === true
  })
}

const nameOf = ({ payer, variantOf }: CatalogueEntry): FeeSchedule | undefined =>
  variantOf === undefined ? undefined : { payer, plan: variantOf }
