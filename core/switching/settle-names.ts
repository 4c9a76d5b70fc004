import { PrintableError } from '../../schema/printable-error.ts'
import type { ActiveState, CatalogueEntry, EntryState } from '../catalogue/catalogue-entry.ts'
import { isOutdated } from '../catalogue/content.ts'
import { byKey, type FeeSchedule } from '../catalogue/fee-schedule.ts'
import { uniteFacts } from '../catalogue/plan-facts.ts'
import { keyOfPlanIds, showPlanIds } from '../catalogue/plan-id.ts'
import type { ContentDrafts } from './content-drafts.ts'
import type { SwitchDeps } from './plan-changes.ts'
import { activeOf, type PlanEntries, type Replacement, readPlanEntries, replaceEntries } from './plan-entries.ts'
import type { ContentName } from './ports.ts'

interface DerivedName {
  /** While searchable, the state of one variant with the united plan ids and facts of all. */
  readonly state: EntryState
  /** All of its plan ids, sorted. */
  readonly planIds: readonly string[]
}

/** Derives a plan's name from its variants: searchable while all of them read the same sources. */
export function deriveName(variants: readonly { readonly state: EntryState }[]): DerivedName {
  const active = variants.flatMap(({ state }) => (state.status === 'active' ? [state] : []))
  const planIds = active.flatMap((each) => each.planIds).sort()
  const [latest] = active.toSorted((a, b) => (a.loadedAt < b.loadedAt ? 1 : -1))
  if (latest === undefined) return { state: { status: 'removed' }, planIds }
  const { origin: _, publisher: _publisher, facts: _facts, ...shared } = latest
  if (active.some(({ sourcesKey }) => sourcesKey !== shared.sourcesKey))
    return { state: { status: 'ambiguous', variants: active.length }, planIds }
  const variantFacts = active.flatMap(({ facts }) => facts ?? [])
  const facts = variantFacts.length > 0 && { facts: uniteFacts(variantFacts) }
  return { state: { ...shared, ...showPlanIds(planIds), planIdsKey: keyOfPlanIds(planIds), ...facts }, planIds }
}

/** True if a name has its derived state. Searchable states are compared by their sources and plan ids. */
function isAsDerived(state: EntryState | undefined, derived: EntryState): boolean {
  if (state?.status !== 'active' || derived.status !== 'active') return state?.status === derived.status
  return state.sourcesKey === derived.sourcesKey && state.planIdsKey === derived.planIdsKey
}

/** True if the name's entry matches its variants, and before the plan's first load. */
export const isSettled = ({ name, variants }: PlanEntries): boolean =>
  variants.length === 0 || isAsDerived(name?.state, deriveName(variants).state)

/** Maximum number of attempts if other loads change the same plans. */
const maxTries = 20

/** Other loads kept changing a plan. */
export class SwitchContended extends PrintableError {
  constructor({ payer, plan }: FeeSchedule) {
    super(`${payer} / ${plan}: other loads kept changing this fee schedule; run the command again`)
  }
}

/**
 * Derives the entries of plans' names from their variants: searchable while all variants read the same sources. Runs
 * after variants have changed and always writes. If two operations change variants of one plan, the one that reads last
 * sees both changes, and the other's write fails on the version and is retried.
 *
 * @param plans published names whose variants have changed
 * @param drafts the drafts of the operation
 * @returns the entries after the change
 * @throws SwitchContended
 */
export async function settleNames(
  plans: readonly FeeSchedule[],
  changedBy: string,
  drafts: ContentDrafts,
  deps: SwitchDeps,
): Promise<readonly CatalogueEntry[]> {
  const settled: CatalogueEntry[] = []
  let pending: readonly FeeSchedule[] = [...byKey(plans).values()]
  for (let tries = 0; pending.length > 0; tries++) {
    const [first] = pending
    if (tries === maxTries && first !== undefined) throw new SwitchContended(first)
    const entriesOf = await readPlanEntries(pending, deps.catalogue)
    const targets: Replacement[] = []
    for (const plan of pending) targets.push(await findTarget(plan, entriesOf(plan), drafts))
    const { usable, lost } = await drafts.write(targets)
    const { written, superseded } = await replaceEntries(usable, changedBy, deps)
    settled.push(...written)
    pending = [...lost, ...superseded]
  }
  return settled
}

/**
 * Derives a name. A searchable name reads a content of this switch, its current one, a new one, or an outdated
 * variant's.
 */
async function findTarget(
  { payer, plan }: FeeSchedule,
  { name: current, variants }: PlanEntries,
  drafts: ContentDrafts,
): Promise<Replacement> {
  const { planIds, state } = deriveName(variants)
  if (state.status !== 'active') return { payer, plan, current, state }
  const name = { payer, plan, planIds }
  const ownContentId = isAsDerived(current?.state, state) ? activeOf(current)?.contentId : undefined
  const contentId = drafts.find(state.sourcesKey, name) ?? ownContentId ?? (await draftContent(name, state, drafts))
  return { payer, plan, current, state: { ...state, contentId } }
}

async function draftContent(name: ContentName, derived: ActiveState, drafts: ContentDrafts): Promise<string> {
  const set = await drafts.sourcesOf(derived)
  // A search by the name then fails as one by the variant's does; in a new content it would find nothing.
  return set.sources.some(isOutdated) ? derived.contentId : drafts.add(set, name)
}
