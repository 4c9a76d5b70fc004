import { keysOf } from '../../words.ts'
import type { CatalogueEntry } from '../catalogue-entry.ts'
import type { FeeSchedule } from '../fee-schedule.ts'
import { listAll } from '../list-catalogue.ts'
import type { PlanFacts } from '../plan-facts.ts'
import { keyOfPlanIds } from '../plan-id.ts'
import type { CatalogueAdmin } from '../ports.ts'
import type { Posting, Segment } from '../posting.ts'

/** A fee schedule with the names and ids by which it is found. */
interface Indexed extends FeeSchedule {
  readonly variantOf?: string
  readonly planIds: readonly string[]
  readonly facts?: PlanFacts
}

/** No word begins with an equals sign. */
export const marketKey = (market: string) => `=${market.toLowerCase()}`

export const planIdKey = (planId: string) => planId.slice(planId.indexOf('|') + 1).toLowerCase()

/** Returns the variant of postings of an own relation's plan ids: they lead to an entry while it has just these ids. */
export const listOfIds = (plan: string, planIdsKey: string) => `${plan}#${planIdsKey}`

/** Returns true if a fee schedule has the same keys with either facts. */
export const isIndexedAlike = (one: PlanFacts = {}, other: PlanFacts = {}): boolean =>
  JSON.stringify([one.sponsors, one.markets]) === JSON.stringify([other.sponsors, other.markets])

/** Returns the postings of fee schedules, in no particular order. */
export function describePostings(feeSchedules: Iterable<Indexed>): readonly Posting[] {
  const postings: Posting[] = []
  const describedNames = new Set<string>()
  const add = (payer: string, name: string, variant: string, keys: readonly string[]) => {
    for (const key of new Set(keys)) postings.push({ key, payer, name, variant })
  }
  // Payers, names and their markets are shared by thousands of variants.
  const addOnce = (payer: string, name: string, of: string, keys: () => readonly string[]) => {
    const id = JSON.stringify([payer, name, of])
    if (!describedNames.has(id)) add(payer, name, '', keys())
    describedNames.add(id)
  }
  for (const { payer, plan, variantOf, planIds, facts = {} } of feeSchedules) {
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

/** Yields the states of entries that must be found: the current one, and the one that a rollback would bring back. */
export function* listIndexed(entries: Iterable<Omit<CatalogueEntry, 'version'>>): Generator<Indexed> {
  for (const { payer, plan, variantOf, state, previous } of entries) {
    if (variantOf === undefined && state.status === 'relation') yield { payer, plan, planIds: state.planIds }
    if (variantOf === undefined) continue
    for (const content of [state, previous?.state])
      if (content?.status === 'active')
        yield { payer, plan, variantOf, planIds: content.planIds, facts: content.facts ?? {} }
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
export async function indexAll(feeSchedules: readonly Indexed[], { catalogue, newId, now }: Indexing): Promise<void> {
  const postings = describePostings(feeSchedules)
  if (postings.length > 0) await catalogue.addPostings({ segmentId: newId(), createdAt: now() }, postings)
}

/**
 * Writes the index anew without removed entries, if several segments are older than a time, and the entries have all
 * ids that lead to them.
 */
export async function compactIndex(
  entries: readonly CatalogueEntry[],
  segments: readonly Segment[],
  before: Date,
  { catalogue, newId, now }: Indexing & { readonly catalogue: Pick<CatalogueAdmin, 'removeSegment'> },
): Promise<void> {
  const oldSegments = segments.filter(({ createdAt }) => createdAt < before)
  const hasUnshownIds = ({ state }: CatalogueEntry) =>
    state.status === 'relation' && state.planIds.length < state.planIdCount
  if (oldSegments.length < 2 || entries.some(hasUnshownIds)) return
  const postings = describePostings(listIndexed(entries))
  await catalogue.addPostings({ segmentId: newId(), createdAt: now() }, postings, 'whole')
  for (const { segmentId } of oldSegments) await catalogue.removeSegment(segmentId)
}
