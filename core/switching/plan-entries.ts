import type { ActiveState, CatalogueEntry, EntryState } from '../catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { extendHistory, firstKeptDay } from '../catalogue/history.ts'
import { listAll } from '../catalogue/list-catalogue.ts'
import { type PlanFacts, uniteFacts } from '../catalogue/plan-facts.ts'
import { keyOfPlanIds } from '../catalogue/plan-id.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { workAtOnce } from '../work-at-once.ts'
import { type SwitchDeps, writesAtOnce } from './plan-changes.ts'

/** The entries of one published plan name: its own and those of its variants. */
export interface PlanEntries {
  /** Absent before the plan's first load. */
  readonly name?: CatalogueEntry
  readonly variants: readonly CatalogueEntry[]
}

/** From this many plans of a payer, all its entries are read at once. */
const fewPlans = 100

/**
 * Reads the entries of plans, by their keys. A name's entry is read no later than its variants, so a conditional write
 * to it fails if a variant has changed and been settled since.
 */
export async function readPlanEntries(
  plans: readonly FeeSchedule[],
  catalogue: Pick<Catalogue, 'list' | 'listVariants'>,
): Promise<ReadonlyMap<string, PlanEntries>> {
  const read = new Map<string, PlanEntries>()
  const payers = Map.groupBy(plans, ({ payer }) => payer)
  for (const [payer, ofPayer] of payers) {
    if (ofPayer.length > fewPlans) {
      const wanted = new Set(ofPayer.map(feeScheduleKey))
      const keyOf = ({ plan, variantOf }: CatalogueEntry) => feeScheduleKey({ payer, plan: variantOf ?? plan })
      for (const [key, entries] of Map.groupBy(await listAll(catalogue, payer), keyOf)) {
        if (wanted.has(key)) read.set(key, gather(entries))
      }
      continue
    }
    await workAtOnce(ofPayer, writesAtOnce, async (plan) => {
      read.set(feeScheduleKey(plan), gather(await catalogue.listVariants(plan)))
    })
  }
  return read
}

function gather(entries: readonly CatalogueEntry[]): PlanEntries {
  const name = entries.find(({ variantOf }) => variantOf === undefined)
  return { ...(name && { name }), variants: entries.filter(({ variantOf }) => variantOf !== undefined) }
}

/** A change of an entry. Without `next` it is not written, and counts as superseded. */
interface Replacement {
  readonly current: CatalogueEntry | undefined
  readonly next: CatalogueEntry | undefined
}

/** Replaces entries, each by one conditional write. */
export async function replaceEntries<Of extends Replacement>(
  all: readonly Of[],
  { catalogue, contents, now }: SwitchDeps,
): Promise<{ readonly written: readonly CatalogueEntry[]; readonly superseded: readonly Of[] }> {
  // Before the entries: afterwards only the retirement says how long the old content must be kept.
  const replaced = new Set(all.flatMap(({ current: of }) => (of?.state.status === 'active' ? of.state.contentId : [])))
  await workAtOnce(replaced, writesAtOnce, (contentId) => contents.retireContent(contentId, now()))
  const keptFrom = firstKeptDay(await catalogue.readKeptDays(), now())
  const written: CatalogueEntry[] = []
  const superseded: Of[] = []
  await workAtOnce(all, writesAtOnce, async (each) => {
    const { current, next } = each
    const entry = next && { ...next, history: extendHistory(current, next.state, now(), keptFrom) }
    if (entry && (await catalogue.replace(entry, current?.version)) === 'written') written.push(entry)
    else superseded.push(each)
  })
  return { written, superseded }
}

/** The state of a plan's name, derived from its variants: searchable while all of them read the same sources. */
export type NameState =
  | {
      readonly status: 'active'
      readonly state: ActiveState
      readonly planIds: readonly string[]
      readonly facts?: PlanFacts
    }
  | { readonly status: 'ambiguous'; readonly variants: number }
  | { readonly status: 'removed' }

/** @returns for a searchable name, the state of one of its variants, and the plan ids and facts of all */
export function deriveName(variants: readonly { readonly state: EntryState }[]): NameState {
  const active = variants.flatMap(({ state }) => (state.status === 'active' ? [state] : []))
  const [state] = active.toSorted((a, b) => (a.loadedAt < b.loadedAt ? 1 : -1))
  if (state === undefined) return { status: 'removed' }
  if (active.some(({ sourcesKey }) => sourcesKey !== state.sourcesKey)) {
    return { status: 'ambiguous', variants: active.length }
  }
  const known = active.flatMap(({ facts }) => facts ?? [])
  const planIds = active.flatMap((each) => each.planIds).sort()
  return { status: 'active', state, planIds, ...(known.length > 0 && { facts: uniteFacts(known) }) }
}

/** Whether the name's entry matches its variants; true before the plan's first load. */
export function isSettled({ name, variants }: PlanEntries = { variants: [] }): boolean {
  if (variants.length === 0) return true
  const derived = deriveName(variants)
  const state = name?.state
  if (derived.status !== 'active') return state?.status === derived.status
  return (
    state?.status === 'active' &&
    state.sourcesKey === derived.state.sourcesKey &&
    state.planIdsKey === keyOfPlanIds(derived.planIds)
  )
}
