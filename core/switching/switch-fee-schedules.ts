import type { ActiveState, CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { isSameFacts } from '../catalogue/plan-facts.ts'
import { formatPlanId, keyOfPlanIds, nameVariant } from '../catalogue/plan-id.ts'
import { ensureIndexed, indexAll, isIndexedAlike, listIndexed } from '../catalogue/word-index/word-index.ts'
import { formatTimestamp } from '../time.ts'
import { type ContentDrafts, openDrafts } from './content-drafts.ts'
import type {
  LoadedPlan,
  PlanChanges,
  PlanJudge,
  RefusedPlan,
  SwitchDeps,
  SwitchReport,
  VariantState,
} from './plan-changes.ts'
import {
  activeOf,
  type PlanEntries,
  planOf,
  type Replacement,
  readPlanEntries,
  replaceEntries,
} from './plan-entries.ts'
import type { ContentName } from './ports.ts'
import { publishCurrent } from './publish-current.ts'
import { deriveName, isSettled, settleNames } from './settle-names.ts'
import { gatherSources } from './source-sets.ts'

/** Maximum number of attempts if other loads change the same entry. */
const maxTries = 5

interface Variant extends ContentName {
  /** The plan's published name. */
  readonly variantOf: string
}

/** A variant with the plan that was loaded for it, or the state that an operator chose. */
type Change = Variant & ({ readonly loaded: LoadedPlan } | { readonly chosen: VariantState })

/** A variant that is not in its target state. */
type Target = Change & Replacement

/**
 * Switches variants to new states, then the names derived from them. Each entry changes by one conditional write, so a
 * search reads only the old content or only the new one. Contents are complete before an entry points to them, and the
 * previous state is kept for rollbacks.
 *
 * @throws SwitchContended, CurrentNotWritten
 */
export async function switchFeeSchedules(changes: PlanChanges, deps: SwitchDeps): Promise<SwitchReport> {
  await ensureIndexed(deps)
  const { loadId, judge, unsettled = [] } = changes
  const outcome: Outcome = {
    switched: [],
    changedSince: [],
    lost: [],
    refused: [],
    unsettled: [...unsettled],
    unchanged: 0,
  }
  const drafts = openDrafts(loadId, deps)
  const switching = { loadId, judge, findSources: gatherSources(changes, deps.contents), drafts, deps, outcome }
  let pending: readonly Change[] = listChanges(changes)
  for (let tries = 0; tries < maxTries && pending.length > 0; tries++) {
    const plans = [...byKey(pending.map(planOf)).values()]
    const entriesOf = await readPlanEntries(plans, deps.catalogue)
    outcome.unsettled.push(...plans.filter((plan) => !isSettled(entriesOf(plan))))
    const variants = plans.flatMap((plan) => entriesOf(plan).variants)
    const targets = await findTargets(pending, byKey(variants), switching)
    predictNames(targets, entriesOf, drafts)
    const { usable, lost } = await drafts.write(targets)
    outcome.lost.push(...lost)
    pending = await writeTargets(usable, switching)
  }
  const names = await settleNames([...outcome.switched.map(planOf), ...outcome.unsettled], loadId, drafts, deps)
  await publishCurrent(deps)
  const nameOf = ({ payer, plan }: FeeSchedule) => ({ payer, plan })
  return {
    switched: [...outcome.switched, ...names],
    unchanged: outcome.unchanged,
    contended: [...outcome.changedSince, ...pending].map(nameOf),
    lost: outcome.lost.map(nameOf),
    refused: outcome.refused,
  }
}

interface Outcome {
  /** The changed variants. */
  readonly switched: CatalogueEntry[]
  /** Variants that another operation has changed since the operator looked. */
  readonly changedSince: FeeSchedule[]
  readonly lost: FeeSchedule[]
  readonly refused: RefusedPlan[]
  /** Names that an interrupted operation left unsettled. */
  readonly unsettled: FeeSchedule[]
  unchanged: number
}

function listChanges({ plans = [], states = [] }: PlanChanges): readonly Change[] {
  const loaded = plans.map((plan) => ({
    payer: plan.payer,
    plan: nameVariant(plan.plan, plan.planId),
    variantOf: plan.plan,
    planIds: plan.planId === undefined ? [] : [formatPlanId(plan.planId)],
    loaded: plan,
  }))
  const chosen = states.map((each) => {
    const { payer, plan, variantOf = plan } = each.entry
    return { payer, plan, variantOf, planIds: [], chosen: each }
  })
  return [...loaded, ...chosen]
}

interface Switching {
  readonly loadId: string
  readonly judge: PlanJudge | undefined
  readonly findSources: ReturnType<typeof gatherSources>
  readonly drafts: ContentDrafts
  readonly deps: SwitchDeps
  readonly outcome: Outcome
}

async function findTargets(
  pending: readonly Change[],
  currentOf: ReadonlyMap<string, CatalogueEntry>,
  switching: Switching,
): Promise<readonly Target[]> {
  const { loadId, outcome } = switching
  const targets: Target[] = []
  for (const change of pending) {
    const current = currentOf.get(feeScheduleKey(change))
    if ('loaded' in change) {
      const draft = await draftLoaded(change, change.loaded, current, switching)
      if (draft === 'unchanged') outcome.unchanged += 1
      else if ('reason' in draft) outcome.refused.push(draft)
      else targets.push({ ...change, current, state: draft })
    } else if (current?.version === change.chosen.entry.version)
      targets.push({ ...change, current, state: change.chosen.state })
    // Written by this operation, in a request whose answer was lost.
    else if (current?.changedBy === loadId) outcome.switched.push(current)
    // Changed since the operator looked, so the request may no longer be intended.
    else outcome.changedSince.push(change)
  }
  return targets
}

/**
 * Drafts the content of a variant that was loaded.
 *
 * @returns the new state of the variant, `unchanged` if it already reads these sources, or the reason to leave it as it
 *   is
 */
async function draftLoaded(
  { payer, plan, planIds }: Variant,
  loaded: LoadedPlan,
  current: CatalogueEntry | undefined,
  { findSources, judge, drafts, deps }: Switching,
): Promise<ActiveState | RefusedPlan | 'unchanged'> {
  const active = activeOf(current)
  const set = await findSources(loaded, active)
  const publisher = loaded.publisher ?? active?.publisher
  const isSame =
    active?.origin === loaded.origin && active?.publisher === publisher && isSameFacts(active?.facts, loaded.facts)
  if (active?.sourcesKey === set.sourcesKey && isSame) return 'unchanged'
  const reason = await judge?.(loaded, set, active)
  if (reason !== undefined) return { payer, plan, reason }
  const { sources, figures: _, ...shared } = set
  return {
    ...shared,
    status: 'active',
    contentId: drafts.add(set, { payer, plan, planIds }),
    planIds,
    planIdCount: planIds.length,
    planIdsKey: keyOfPlanIds(planIds),
    sourceCount: sources.length,
    loadedAt: formatTimestamp(deps.now()),
    origin: loaded.origin,
    publisher,
    ...(loaded.facts && Object.keys(loaded.facts).length > 0 && { facts: loaded.facts }),
  }
}

/** Adds the plans' names to this switch's contents, so that settling them needs no further contents. */
function predictNames(
  targets: readonly Target[],
  entriesOf: (plan: FeeSchedule) => PlanEntries,
  drafts: ContentDrafts,
): void {
  for (const ofPlan of Map.groupBy(targets, (target) => feeScheduleKey(planOf(target))).values()) {
    const [first] = ofPlan
    if (first === undefined) continue
    const name = planOf(first)
    const changed = byKey(ofPlan)
    const unchanged = entriesOf(name).variants.filter((variant) => !changed.has(feeScheduleKey(variant)))
    const { state, planIds } = deriveName([...unchanged, ...changed.values()])
    if (state.status === 'active') drafts.addName(state.sourcesKey, { ...name, planIds })
  }
}

/** @returns the changes whose entries another operation has changed meanwhile */
async function writeTargets(
  targets: readonly Target[],
  { loadId, deps, outcome }: Switching,
): Promise<readonly Change[]> {
  // Before the entries: a posting is compared with its entry, but an entry without postings is not found.
  await indexAll([...listIndexed(targets.filter(isIndexedAnew))], deps)
  const { written, superseded } = await replaceEntries(targets, loadId, deps)
  outcome.switched.push(...written)
  return superseded
}

/** True if the variant's search words have changed. */
function isIndexedAnew({ current, state }: Target): boolean {
  const before = activeOf(current)
  return !(before !== undefined && state.status === 'active' && isIndexedAlike(before.facts, state.facts))
}
