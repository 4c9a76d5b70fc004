import type { ActiveState, CatalogueEntry, RemovedState } from '../catalogue/catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { ensureIndexed, indexAll, isIndexedAlike, listIndexed } from '../catalogue/finding/word-index.ts'
import { isSameFacts } from '../catalogue/plan-facts.ts'
import { formatPlanId, keyOfPlanIds, nameVariant } from '../catalogue/plan-id.ts'
import { formatTimestamp } from '../time.ts'
import { type ContentDrafts, openDrafts } from './content-drafts.ts'
import type { LoadedPlan, PlanChanges, SwitchDeps, SwitchReport, VariantState } from './plan-changes.ts'
import { deriveName, isSettled, type PlanEntries, readPlanEntries, replaceEntries } from './plan-entries.ts'
import type { ContentName } from './ports.ts'
import { settleNames } from './settle-names.ts'
import { gatherSources } from './source-sets.ts'

/** Maximum number of attempts if other loads change the same entry. */
const maxTries = 5

/** A variant and its new state. */
interface Change extends ContentName {
  /** The plan's published name. */
  readonly variantOf: string
  readonly loaded?: LoadedPlan
  readonly wanted?: VariantState
}

/**
 * Switches variants to new states, then the names derived from them. Each entry changes by one conditional write, so a
 * search reads only the old content or only the new one. Contents are complete before an entry points to them, and the
 * previous state is kept for rollbacks.
 */
export async function switchFeeSchedules(changes: PlanChanges, deps: SwitchDeps): Promise<SwitchReport> {
  await ensureIndexed(deps)
  const outcome: Outcome = { switched: [], changedSince: [], lost: [], unsettled: [], unchanged: 0 }
  const { loadId } = changes
  const drafts = openDrafts(loadId, deps)
  const switching = { loadId, findSources: gatherSources(changes, deps.contents), drafts, deps, outcome }
  let pending: readonly Change[] = listChanges(changes)
  for (let tries = 0; tries < maxTries && pending.length > 0; tries++) {
    const entries = await readPlanEntries(plansOf(pending), deps.catalogue)
    const targets = await findTargets(pending, entries, switching)
    predictNames(targets, entries, drafts)
    for (const plan of plansOf(pending)) if (!isSettled(entries.get(feeScheduleKey(plan)))) outcome.unsettled.push(plan)
    const lost = await drafts.write()
    const usable = targets.filter(({ state }) => state.status === 'removed' || !lost.has(state.contentId))
    for (const { change, state } of targets)
      if (state.status === 'active' && lost.has(state.contentId)) outcome.lost.push(change)
    pending = await writeTargets(usable, switching)
  }
  const changed = outcome.switched.map(({ payer, plan, variantOf }) => ({ payer, plan: variantOf ?? plan }))
  const names = await settleNames([...changed, ...outcome.unsettled], loadId, deps, drafts)
  const nameOf = ({ payer, plan }: FeeSchedule) => ({ payer, plan })
  return {
    switched: [...outcome.switched, ...names],
    unchanged: outcome.unchanged,
    contended: [...outcome.changedSince, ...pending].map(nameOf),
    lost: outcome.lost.map(nameOf),
  }
}

interface Outcome {
  /** The changed variants. */
  readonly switched: CatalogueEntry[]
  /** Variants that others have changed since the operator looked. */
  readonly changedSince: FeeSchedule[]
  readonly lost: FeeSchedule[]
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
  const wanted = states.map((each) => {
    const { payer, plan, variantOf = plan } = each.entry
    return { payer, plan, variantOf, planIds: [], wanted: each }
  })
  return [...loaded, ...wanted]
}

const plansOf = (changes: readonly Change[]) => [
  ...byKey(changes.map(({ payer, variantOf: plan }) => ({ payer, plan }))).values(),
]

interface Switching {
  readonly loadId: string
  readonly findSources: ReturnType<typeof gatherSources>
  readonly drafts: ContentDrafts
  readonly deps: SwitchDeps
  readonly outcome: Outcome
}

/** A variant that is not in its target state. */
interface Target {
  readonly change: Change
  readonly current: CatalogueEntry | undefined
  readonly state: ActiveState | RemovedState
}

async function findTargets(
  pending: readonly Change[],
  entries: ReadonlyMap<string, PlanEntries>,
  switching: Switching,
): Promise<readonly Target[]> {
  const { loadId, outcome } = switching
  const targets: Target[] = []
  // A name can have as many variants as there are changes.
  const currentOf = byKey([...entries.values()].flatMap(({ variants }) => variants))
  for (const change of pending) {
    const current = currentOf.get(feeScheduleKey(change))
    if (change.wanted !== undefined) {
      if (current?.version === change.wanted.entry.version)
        targets.push({ change, current, state: change.wanted.state })
      // Written by this operation, in a request whose answer was lost.
      else if (current?.changedBy === loadId) outcome.switched.push(current)
      // Changed since the operator looked, so the request may no longer be intended.
      else outcome.changedSince.push(change)
      continue
    }
    if (change.loaded === undefined) continue
    const state = await draftLoaded(change, change.loaded, current, switching)
    if (state === undefined) outcome.unchanged += 1
    else targets.push({ change, current, state })
  }
  return targets
}

/** @returns undefined if the variant reads these sources already */
async function draftLoaded(
  change: Change,
  loaded: LoadedPlan,
  current: CatalogueEntry | undefined,
  { findSources, drafts, deps }: Switching,
): Promise<ActiveState | undefined> {
  const active = current?.state.status === 'active' ? current.state : undefined
  const set = await findSources(loaded, active)
  const publisher = loaded.publisher ?? active?.publisher
  const isSame =
    active?.origin === loaded.origin && active?.publisher === publisher && isSameFacts(active?.facts, loaded.facts)
  if (active?.sourcesKey === set.sourcesKey && isSame) return undefined
  const { sources, figures: _, ...shared } = set
  const { planIds } = change
  return {
    ...shared,
    status: 'active',
    contentId: drafts.add(set, change),
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
  entries: ReadonlyMap<string, PlanEntries>,
  drafts: ContentDrafts,
): void {
  for (const [key, ofPlan] of Map.groupBy(targets, ({ change: { payer, variantOf } }) =>
    feeScheduleKey({ payer, plan: variantOf }),
  )) {
    const changed = new Map(ofPlan.map(({ change, state }) => [change.plan, state]))
    const others = entries.get(key)?.variants.filter(({ plan }) => !changed.has(plan)) ?? []
    const name = deriveName([...others, ...[...changed.values()].map((state) => ({ state }))])
    const [first] = ofPlan
    if (name.status !== 'active' || first === undefined) continue
    drafts.addName(name.state.sourcesKey, {
      payer: first.change.payer,
      plan: first.change.variantOf,
      planIds: name.planIds,
    })
  }
}

/** @returns the changes whose entries others have changed meanwhile */
async function writeTargets(
  targets: readonly Target[],
  { loadId, deps, outcome }: Switching,
): Promise<readonly Change[]> {
  // Before the entries: what the index leads to is compared with its entry, but what it lacks is not found.
  await indexAll([...listIndexed(targets.flatMap(listUnindexed))], deps)
  const all = targets.map((target) => ({ ...target, next: nextEntry(target, loadId, deps) }))
  const { written, superseded } = await replaceEntries(all, deps)
  outcome.switched.push(...written)
  return superseded.map(({ change }) => change)
}

/** An active variant whose words nothing leads to yet. */
function listUnindexed({ change: { payer, plan, variantOf }, current, state }: Target) {
  const before = current?.state
  const isKnown = before?.status === 'active' && state.status === 'active' && isIndexedAlike(before.facts, state.facts)
  return isKnown ? [] : [{ payer, plan, variantOf, state }]
}

function nextEntry(
  { change: { payer, plan, variantOf }, current, state }: Target,
  changedBy: string,
  { newId, now }: SwitchDeps,
): CatalogueEntry {
  const before = current?.state.status === 'active' ? current.state : ({ status: 'removed' } as const)
  return {
    payer,
    plan,
    variantOf,
    version: newId(),
    state,
    previous: { state: before, replacedAt: formatTimestamp(now()) },
    changedBy,
  }
}
