import { chunk } from '../../chunk.ts'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../fee-schedule.ts'
import { listSearchable } from '../list-catalogue.ts'
import type { Catalogue } from '../ports.ts'
import { isWanted, listTerms, lookUp, type Variants, type Wanted } from './look-up-words.ts'
import { listOfIds } from './word-index.ts'

export interface FeeScheduleQuery extends Wanted {
  readonly limit: number
  readonly after?: FoundPlace
}

/** The last fee schedule of a page. */
export interface FoundPlace extends FeeSchedule {
  /** The last variant shown of an ambiguous name. */
  readonly variant?: string
}

interface FoundPage {
  readonly items: readonly CatalogueEntry[]
  readonly next?: FoundPlace
}

/** Maximum number of names that a page looks at; few may be shown if much has been removed. */
export const maxExaminedNames = 1000

/** Names per read: one BatchGetItem. */
const namesPerRead = 100

/**
 * Finds the fee schedules that searches can name and that match, page by page, by payer and then plan: plans by their
 * name, and variants only of ambiguous names. A page can be short and still have a next one.
 */
export async function findFeeSchedules(catalogue: Catalogue, query: FeeScheduleQuery): Promise<FoundPage> {
  const { payer, limit, after } = query
  const terms = listTerms(query)
  const led = terms.length > 0 && (await catalogue.isIndexed()) ? await lookUp(catalogue, terms, payer) : undefined
  if (led === undefined) {
    const start = after && { after: { payer: after.payer, plan: after.variant ?? after.plan } }
    const isShown = (entry: CatalogueEntry) => isWanted(entry, query, new Set())
    return listSearchable(catalogue, { limit, ...(payer !== undefined && { payer }), ...start }, isShown)
  }
  const { found, lookedUp } = led
  const isShown = (entry: CatalogueEntry) => isWanted(entry, query, lookedUp)
  const items: CatalogueEntry[] = []
  let examined = 0
  for (const ofPayer of [...found.keys()].sort()) {
    if (after !== undefined && ofPayer < after.payer) continue
    const from = after?.payer === ofPayer ? after : undefined
    const names = found.get(ofPayer)
    if (names === 'all') {
      const left = limit - items.length
      const start = from && { after: { payer: ofPayer, plan: from.variant ?? from.plan } }
      // Words that were not looked up are only compared.
      const page = await listSearchable(catalogue, { payer: ofPayer, limit: Math.max(left, 1), ...start }, isShown)
      if (left > 0) items.push(...page.items)
      else if (page.items.length > 0) return { items, next: lastOf(items) }
      if (page.next) return { items, next: left > 0 ? page.next : lastOf(items) }
      continue
    }
    const hits = [...(names ?? [])]
      .map(([plan, variants]): Hit => ({ payer: ofPayer, plan, variants }))
      .filter(
        ({ plan }) => from === undefined || plan > from.plan || (plan === from.plan && from.variant !== undefined),
      )
      .sort((a, b) => (a.plan < b.plan ? -1 : 1))
    for (let start = 0; start < hits.length; ) {
      const left = limit - items.length
      const some = hits.slice(start, start + Math.min(namesPerRead, left + 1))
      start += some.length
      for (const { hit, entries } of await readHits(catalogue, isShown, some, from, left + 1)) {
        for (const entry of entries) {
          if (items.length === limit) return { items, next: lastOf(items) }
          items.push(entry)
        }
        examined += 1
        if (examined === maxExaminedNames) return { items, next: { payer: ofPayer, plan: hit.plan } }
      }
    }
  }
  return { items }
}

const lastOf = (items: readonly CatalogueEntry[]): FoundPlace => {
  const { payer = '', plan = '', variantOf } = items.at(-1) ?? {}
  return variantOf === undefined ? { payer, plan } : { payer, plan: variantOf, variant: plan }
}

/** A name that may match, with the variants that may. */
interface Hit extends FeeSchedule {
  readonly variants: Variants
}

/** The entries to show of each name, in order, at most about `most` of a name. */
async function readHits(
  catalogue: Catalogue,
  isShown: (entry: CatalogueEntry) => boolean,
  hits: readonly Hit[],
  from: FoundPlace | undefined,
  most: number,
): Promise<readonly { readonly hit: Hit; readonly entries: readonly CatalogueEntry[] }[]> {
  const named = byKey(await catalogue.find(hits.map(({ payer, plan }) => ({ payer, plan }))))
  const after = (hit: Hit) => (from?.payer === hit.payer && from.plan === hit.plan ? (from.variant ?? '') : '')
  const first = hits.flatMap((hit) => namesOf(hit, after(hit)).slice(0, namesPerRead))
  const variants = byKey(await catalogue.find(first))
  const read = async (names: readonly FeeSchedule[]) => {
    const known = names.flatMap((name) => variants.get(feeScheduleKey(name)) ?? [])
    return known.length === 0 ? catalogue.find(names) : known
  }
  const shown: { readonly hit: Hit; readonly entries: readonly CatalogueEntry[] }[] = []
  for (const hit of hits) {
    const entry = named.get(feeScheduleKey(hit))
    const status = entry?.state.status ?? 'removed'
    const entries: CatalogueEntry[] = []
    shown.push({ hit, entries })
    const isOwn = status === 'relation' || (status === 'active' && hit.variants === 'all')
    if (entry === undefined || status === 'removed' || (isOwn && after(hit) !== '')) continue
    if (isOwn) entries.push(...[entry].filter((each) => isLedTo(each, hit) && isShown(each)))
    else
      for await (const some of readVariants(catalogue, hit, after(hit), read)) {
        const found = some.filter(isShown)
        // Until a switch has settled an active name, it may read other files than its variants, as if it were ambiguous.
        const isShared = after(hit) === '' && entries.length === 0 && found.every((each) => readsAlike(each, entry))
        // One of the variants that led to a name is enough.
        entries.push(...(isShared ? found.slice(0, 1).map(() => entry) : found))
        if (entries.length >= (isShared ? 1 : most)) break
      }
  }
  return shown
}

/** Whether an own relation's entry still has the plan ids that led to it. */
const isLedTo = ({ plan, state }: CatalogueEntry, { variants }: Hit) =>
  state.status !== 'relation' || variants === 'all' || variants.has(listOfIds(plan, state.planIdsKey ?? ''))

const readsAlike = ({ state: one }: CatalogueEntry, { state: other }: CatalogueEntry) =>
  one.status === 'active' && other.status === 'active' && one.sourcesKey === other.sourcesKey

/** The variants of a name that were looked up, after one of them. */
function namesOf({ payer, variants }: Hit, after: string): readonly FeeSchedule[] {
  if (variants === 'all') return []
  const rest = [...variants].filter((variant) => variant > after).sort()
  return rest.map((plan) => ({ payer, plan }))
}

/** The variants of an ambiguous name, a few at a time. */
async function* readVariants(
  catalogue: Catalogue,
  hit: Hit,
  after: string,
  read: (names: readonly FeeSchedule[]) => Promise<readonly CatalogueEntry[]>,
): AsyncGenerator<readonly CatalogueEntry[]> {
  if (hit.variants !== 'all') for (const some of chunk(namesOf(hit, after), namesPerRead)) yield read(some)
  else {
    for (let last: string | undefined = after; last !== undefined; ) {
      const [, ...variants] = await catalogue.listVariants(hit, namesPerRead, last === '' ? undefined : last)
      yield variants
      last = variants.at(-1)?.plan
    }
  }
}
