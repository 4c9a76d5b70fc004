import type { CatalogueEntry } from '../catalogue-entry.ts'
import type { FeeSchedule } from '../fee-schedule.ts'
import { listAll } from '../list-catalogue.ts'
import type { PlanFacts } from '../plan-facts.ts'
import { keyOfPlanIds } from '../plan-id.ts'
import type { CatalogueAdmin } from '../ports.ts'
import type { Posting, Segment } from '../posting.ts'
import { keysOf } from './words.ts'

/** What leads to a fee schedule. */
interface Indexed extends FeeSchedule {
  readonly variantOf?: string
  readonly planIds: readonly string[]
  readonly facts?: PlanFacts
}

/** No word begins with an equals sign. */
export const marketKey = (market: string) => `=${market.toLowerCase()}`

export const planIdKey = (planId: string) => planId.slice(planId.indexOf('|') + 1).toLowerCase()

/** What the plan ids of an own relation's entry lead to: the entry, as long as it has just these. */
export const listOfIds = (plan: string, planIdsKey: string) => `${plan}#${planIdsKey}`

/** Whether the same keys lead to a fee schedule with the one facts as with the other. */
export const isIndexedAlike = (one: PlanFacts = {}, other: PlanFacts = {}): boolean =>
  JSON.stringify([one.sponsors, one.markets]) === JSON.stringify([other.sponsors, other.markets])

/** The postings of fee schedules, in no particular order. */
export function describePostings(all: Iterable<Indexed>): readonly Posting[] {
  const postings: Posting[] = []
  const known = new Set<string>()
  const add = (payer: string, name: string, variant: string, keys: readonly string[]) => {
    for (const key of new Set(keys)) postings.push({ key, payer, name, variant })
  }
  // Payers, names and their markets are shared by thousands of variants.
  const addOnce = (payer: string, name: string, of: string, keys: () => readonly string[]) => {
    const id = JSON.stringify([payer, name, of])
    if (!known.has(id)) add(payer, name, '', keys())
    known.add(id)
  }
  for (const { payer, plan, variantOf, planIds, facts = {} } of all) {
    const name = variantOf ?? plan
    addOnce(payer, '', '', () => keysOf(payer))
    addOnce(payer, name, '', () => keysOf(name))
    for (const market of facts.markets ?? []) addOnce(payer, name, market, () => [marketKey(market)])
    const sponsors = (facts.sponsors ?? []).flatMap(keysOf)
    add(payer, name, variantOf === undefined ? listOfIds(plan, keyOfPlanIds(planIds)) : plan, [
      ...sponsors,
      ...planIds.map(planIdKey),
    ])
  }
  return postings
}

/** What must lead to an entry: its state, and the one that a rollback would bring back. */
export function* listIndexed(entries: Iterable<Omit<CatalogueEntry, 'version'>>): Generator<Indexed> {
  for (const { payer, plan, variantOf, state, previous } of entries) {
    if (variantOf === undefined && state.status === 'relation') yield { payer, plan, planIds: state.planIds }
    if (variantOf === undefined) continue
    for (const each of [state, previous?.state])
      if (each?.status === 'active') yield { payer, plan, variantOf, planIds: each.planIds, facts: each.facts ?? {} }
  }
}

interface Indexing {
  readonly catalogue: Pick<CatalogueAdmin, 'isIndexed' | 'addPostings' | 'list'>
  readonly newId: () => string
  readonly now: () => Date
}

/** Indexes a catalogue that was loaded by a version without an index. */
export async function ensureIndexed({ catalogue, newId, now }: Indexing): Promise<void> {
  if (await catalogue.isIndexed()) return
  const postings = describePostings(listIndexed(await listAll(catalogue)))
  await catalogue.addPostings({ segmentId: newId(), createdAt: now() }, postings, 'whole')
}

/** Indexes fee schedules before their entries are written, so that no search that can name them misses them. */
export async function indexAll(all: readonly Indexed[], { catalogue, newId, now }: Indexing): Promise<void> {
  const postings = describePostings(all)
  if (postings.length > 0) await catalogue.addPostings({ segmentId: newId(), createdAt: now() }, postings)
}

/**
 * Writes the index anew without what is gone, if there is more than one segment from before a time, and the entries have
 * all ids that lead to them.
 */
export async function compactIndex(
  entries: readonly CatalogueEntry[],
  segments: readonly Segment[],
  before: Date,
  { catalogue, newId, now }: Indexing & { readonly catalogue: Pick<CatalogueAdmin, 'removeSegment'> },
): Promise<void> {
  const old = segments.filter(({ createdAt }) => createdAt < before)
  const hasUnshownIds = ({ state }: CatalogueEntry) =>
    state.status === 'relation' && state.planIds.length < state.planIdCount
  if (old.length < 2 || entries.some(hasUnshownIds)) return
  const postings = describePostings(listIndexed(entries))
  await catalogue.addPostings({ segmentId: newId(), createdAt: now() }, postings, 'whole')
  for (const { segmentId } of old) await catalogue.removeSegment(segmentId)
}
