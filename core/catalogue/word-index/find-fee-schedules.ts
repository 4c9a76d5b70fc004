import { at } from '../../../schema/at.ts'
import { chunk } from '../../chunk.ts'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../fee-schedule.ts'
import { listSearchable } from '../list-catalogue.ts'
import type { Catalogue } from '../ports.ts'
import { type FeeScheduleFilters, listTerms, lookUp, matchesFilters, type Variants } from './look-up-words.ts'
import { listOfIds } from './word-index.ts'

export interface FeeScheduleQuery extends FeeScheduleFilters {
  readonly limit: number
  readonly after?: ListPosition
}

/** The last fee schedule of a page. */
export interface ListPosition extends FeeSchedule {
  /** The last variant shown of an ambiguous name. */
  readonly variant?: string
}

interface FeeSchedulePage {
  readonly items: readonly CatalogueEntry[]
  readonly next?: ListPosition
}

/** Maximum number of names that a page looks at; few may be shown if much has been removed. */
export const maxExaminedNames = 1000

/** Names per read: one BatchGetItem. */
const namesPerRead = 100

/**
 * Finds the fee schedules that searches can name and that match, page by page, by payer and then plan: plans by their
 * name, and variants only of ambiguous names. A page can be short and still have a next one.
 */
export async function findFeeSchedules(catalogue: Catalogue, query: FeeScheduleQuery): Promise<FeeSchedulePage> {
  const { payer, limit, after } = query
  const terms = listTerms(query)
  const names = terms.length > 0 && (await catalogue.isIndexed()) ? await lookUp(catalogue, terms, payer) : undefined
  if (names === undefined) {
    const start = after && { after: { payer: after.payer, plan: after.variant ?? after.plan } }
    const isShown = (entry: CatalogueEntry) => matchesFilters(entry, query)
    return listSearchable(catalogue, { limit, ...(payer !== undefined && { payer }), ...start }, isShown)
  }
  const { namesByPayer, lookedUp } = names
  const isShown = (entry: CatalogueEntry) => matchesFilters(entry, query, lookedUp)
  const items: CatalogueEntry[] = []
  let examined = 0
  for (const [payerOfNames, namesOfPayer] of [...namesByPayer].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (after !== undefined && payerOfNames < after.payer) continue
    const from = after?.payer === payerOfNames ? after : undefined
    if (namesOfPayer === 'all') {
      const freeItems = limit - items.length
      const start = from && { after: { payer: payerOfNames, plan: from.variant ?? from.plan } }
      // Words that were not looked up are only compared.
      const page = await listSearchable(
        catalogue,
        { payer: payerOfNames, limit: Math.max(freeItems, 1), ...start },
        isShown,
      )
      if (freeItems > 0) items.push(...page.items)
      else if (page.items.length > 0) return { items, next: lastOf(items) }
      if (page.next) return { items, next: freeItems > 0 ? page.next : lastOf(items) }
      continue
    }
    const hits = [...namesOfPayer]
      .map(([plan, variants]): Hit => ({ payer: payerOfNames, plan, variants }))
      .filter(
        ({ plan }) => from === undefined || plan > from.plan || (plan === from.plan && from.variant !== undefined),
      )
      .sort((a, b) => (a.plan < b.plan ? -1 : 1))
    for (let start = 0; start < hits.length; ) {
      const freeItems = limit - items.length
      const batch = hits.slice(start, start + Math.min(namesPerRead, freeItems + 1))
      start += batch.length
      for (const { hit, entries } of await readHits(catalogue, isShown, batch, from, freeItems + 1)) {
        for (const entry of entries) {
          if (items.length === limit) return { items, next: lastOf(items) }
          items.push(entry)
        }
        examined += 1
        if (examined === maxExaminedNames) return { items, next: { payer: payerOfNames, plan: hit.plan } }
      }
    }
  }
  return { items }
}

const lastOf = (items: readonly CatalogueEntry[]): ListPosition => {
  const { payer, plan, variantOf } = at(items, items.length - 1)
  return variantOf === undefined ? { payer, plan } : { payer, plan: variantOf, variant: plan }
}

/** A name that may match, with the variants that may. */
interface Hit extends FeeSchedule {
  readonly variants: Variants
}

/** Reads the entries to show of each name, in order, at most about `most` of a name. */
async function readHits(
  catalogue: Catalogue,
  isShown: (entry: CatalogueEntry) => boolean,
  hits: readonly Hit[],
  from: ListPosition | undefined,
  most: number,
): Promise<readonly { readonly hit: Hit; readonly entries: readonly CatalogueEntry[] }[]> {
  const nameEntries = byKey(await catalogue.find(hits.map(({ payer, plan }) => ({ payer, plan }))))
  const after = (hit: Hit) => (from?.payer === hit.payer && from.plan === hit.plan ? (from.variant ?? '') : '')
  const firstVariants = hits.flatMap((hit) => namesOf(hit, after(hit)).slice(0, namesPerRead))
  const variantEntries = byKey(await catalogue.find(firstVariants))
  const readNames = async (names: readonly FeeSchedule[]) => {
    const entries = names.flatMap((name) => variantEntries.get(feeScheduleKey(name)) ?? [])
    return entries.length === 0 ? catalogue.find(names) : entries
  }
  const shownHits: { readonly hit: Hit; readonly entries: readonly CatalogueEntry[] }[] = []
  for (const hit of hits) {
    const entry = nameEntries.get(feeScheduleKey(hit))
    const status = entry?.state.status ?? 'removed'
    const entries: CatalogueEntry[] = []
    shownHits.push({ hit, entries })
    const isOwn = status === 'relation' || (status === 'active' && hit.variants === 'all')
    if (entry === undefined || status === 'removed' || (isOwn && after(hit) !== '')) continue
    if (isOwn) entries.push(...[entry].filter((one) => isLedTo(one, hit) && isShown(one)))
    else
      for await (const batch of readVariants(catalogue, hit, after(hit), readNames)) {
        const matches = batch.filter(isShown)
        // An active name may read other files than its variants until a switch has settled it: it is then ambiguous.
        const isShared = after(hit) === '' && entries.length === 0 && matches.every((one) => readsAlike(one, entry))
        // One of the variants that led to a name is enough.
        entries.push(...(isShared ? matches.slice(0, 1).map(() => entry) : matches))
        if (entries.length >= (isShared ? 1 : most)) break
      }
  }
  return shownHits
}

/** Returns true if an own relation's entry still has the plan ids that led to it. */
const isLedTo = ({ plan, state }: CatalogueEntry, { variants }: Hit) =>
  state.status !== 'relation' || variants === 'all' || variants.has(listOfIds(plan, state.planIdsKey ?? ''))

const readsAlike = ({ state: one }: CatalogueEntry, { state: other }: CatalogueEntry) =>
  one.status === 'active' && other.status === 'active' && one.sourcesKey === other.sourcesKey

/** Returns the variants of a name that were looked up, after one of them. */
function namesOf({ payer, variants }: Hit, after: string): readonly FeeSchedule[] {
  if (variants === 'all') return []
  const variantsAfter = [...variants].filter((variant) => variant > after).sort()
  return variantsAfter.map((plan) => ({ payer, plan }))
}

/** Yields the variants of an ambiguous name, a few at a time. */
async function* readVariants(
  catalogue: Catalogue,
  hit: Hit,
  after: string,
  read: (names: readonly FeeSchedule[]) => Promise<readonly CatalogueEntry[]>,
): AsyncGenerator<readonly CatalogueEntry[]> {
  if (hit.variants !== 'all') for (const names of chunk(namesOf(hit, after), namesPerRead)) yield read(names)
  else {
    for (let last: string | undefined = after; last !== undefined; ) {
      const [, ...variants] = await catalogue.listVariants(hit, namesPerRead, last === '' ? undefined : last)
      yield variants
      last = variants.at(-1)?.plan
    }
  }
}
