import type { CatalogueEntry } from './catalogue-entry.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import { feeScheduleKey } from './fee-schedule.ts'
import type { Catalogue, Page } from './ports.ts'

/** All entries of a catalogue or of one payer, including removed and ambiguous ones. */
export async function listAll(catalogue: Pick<Catalogue, 'list'>, payer?: string): Promise<readonly CatalogueEntry[]> {
  const entries: CatalogueEntry[] = []
  let after: FeeSchedule | undefined
  do {
    const page = await catalogue.list({ limit: 1000, ...(payer !== undefined && { payer }), ...(after && { after }) })
    entries.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return entries
}

/** Minimum number of entries per read. */
const smallestRead = 100

/** The query of one page. */
type ListQuery = Parameters<Catalogue['list']>[0]

/**
 * Lists a page of the fee schedules that searches can name: plans by their name, and variants only of ambiguous names.
 * So searching for every fee schedule of all pages finds every row once.
 */
export async function listSearchable(
  catalogue: Pick<Catalogue, 'list' | 'find'>,
  query: ListQuery,
): Promise<Page<CatalogueEntry>> {
  const items: CatalogueEntry[] = []
  let after = query.after
  for (;;) {
    // A name can have thousands of variants, which small pages must not read one by one.
    const limit = Math.max(smallestRead, query.limit + 1 - items.length)
    const page = await catalogue.list({ ...query, limit, ...(after && { after }) })
    items.push(...(await keepSearchable(catalogue, page.items)))
    after = page.next
    if (after === undefined || items.length > query.limit) break
  }
  const shown = items.slice(0, query.limit)
  const last = shown.at(-1)
  return { items: shown, ...(items.length > query.limit && last && { next: { payer: last.payer, plan: last.plan } }) }
}

async function keepSearchable(
  catalogue: Pick<Catalogue, 'find'>,
  entries: readonly CatalogueEntry[],
): Promise<readonly CatalogueEntry[]> {
  const variants = entries.flatMap(({ payer, variantOf }) =>
    variantOf === undefined ? [] : { payer, plan: variantOf },
  )
  const names = [...new Map(variants.map((name) => [feeScheduleKey(name), name])).values()]
  const ambiguous = new Set(
    (await catalogue.find(names)).filter(({ state }) => state.status === 'ambiguous').map(feeScheduleKey),
  )
  return entries.filter(({ payer, variantOf, state: { status } }) => {
    if (status === 'relation') return true
    if (status !== 'active') return false
    return variantOf === undefined || ambiguous.has(feeScheduleKey({ payer, plan: variantOf }))
  })
}
