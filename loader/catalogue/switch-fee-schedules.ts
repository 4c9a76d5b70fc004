import type { ActiveState, CatalogueEntry, RemovedState } from '../../core/catalogue/catalogue-entry.ts'
import type { ContentFigures, Source } from '../../core/catalogue/content.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { formatPlanId, nameVariant } from '../../core/catalogue/plan-id.ts'
import type { ContentsAdmin } from '../../core/catalogue/ports.ts'
import { formatTimestamp } from '../../core/job/timestamp.ts'
import { ContentDrafts } from './content-drafts.ts'
import type { LoadedPlan, PlanChanges, SwitchDeps, SwitchReport, VariantState } from './plan-changes.ts'
import type { PlanEntries } from './plan-entries.ts'
import { deriveName, isSettled, keyOfPlanIds, keyOfSources, readPlanEntries } from './plan-entries.ts'
import { retireContents } from './retire-contents.ts'
import { settleNames } from './settle-names.ts'
import type { NamedPlan } from './write-contents.ts'
import { latestDate, writeContents } from './write-contents.ts'

/** Maximum number of attempts if other loads change the same entry. */
const maxTries = 5

/** Maximum number of concurrent writes. */
const writesAtOnce = 25

/** A variant and its new state. */
interface Change extends NamedPlan {
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
  const outcome = new Outcome()
  const drafts = new ContentDrafts(deps.newId)
  let pending: readonly Change[] = listChanges(changes)
  for (let tries = 0; tries < maxTries && pending.length > 0; tries++) {
    const entries = await readPlanEntries(plansOf(pending), deps.catalogue)
    const targets = await findTargets(pending, entries, changes, drafts, deps, outcome)
    predictNames(targets, entries, drafts)
    outcome.unsettled.push(...plansOf(pending).filter((plan) => !isSettled(entries.get(feeScheduleKey(plan)))))
    const lost = await drafts.write((unwritten) => writeContents(unwritten, changes.loadId, deps.now(), deps), deps)
    const usable = targets.filter(({ state }) => state.status === 'removed' || !lost.has(state.contentId))
    for (const { change, state } of targets)
      if (state.status === 'active' && lost.has(state.contentId)) outcome.lost.push(change)
    pending = await writeTargets(usable, changes.loadId, deps, outcome)
  }
  outcome.contended.push(...pending)
  const changed = outcome.switched.map(({ payer, plan, variantOf }) => ({ payer, plan: variantOf ?? plan }))
  outcome.switched.push(...(await settleNames([...changed, ...outcome.unsettled], drafts, changes.loadId, deps)))
  return outcome.report()
}

class Outcome {
  readonly switched: CatalogueEntry[] = []
  readonly contended: FeeSchedule[] = []
  readonly lost: FeeSchedule[] = []
  /** Names that an interrupted operation left unsettled. */
  readonly unsettled: FeeSchedule[] = []
  unchanged = 0

  report(): SwitchReport {
    const nameOf = ({ payer, plan }: FeeSchedule) => ({ payer, plan })
    const { switched, unchanged } = this
    return { switched, unchanged, contended: this.contended.map(nameOf), lost: this.lost.map(nameOf) }
  }
}

function listChanges({ plans, states = [] }: PlanChanges): readonly Change[] {
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
  ...new Map(
    changes.map(({ payer, variantOf }) => [feeScheduleKey({ payer, plan: variantOf }), { payer, plan: variantOf }]),
  ).values(),
]

/** A variant that is not in its target state. */
interface Target {
  readonly change: Change
  readonly current: CatalogueEntry | undefined
  readonly state: ActiveState | RemovedState
}

async function findTargets(
  pending: readonly Change[],
  entries: ReadonlyMap<string, PlanEntries>,
  changes: PlanChanges,
  drafts: ContentDrafts,
  deps: SwitchDeps,
  outcome: Outcome,
): Promise<readonly Target[]> {
  const targets: Target[] = []
  for (const change of pending) {
    const { payer, plan, variantOf } = change
    const { variants = [] } = entries.get(feeScheduleKey({ payer, plan: variantOf })) ?? {}
    const current = variants.find((entry) => entry.plan === plan)
    if (change.wanted !== undefined) {
      // Changed since the operator looked, so the request may no longer be intended.
      if (current?.version !== change.wanted.entry.version) outcome.contended.push(change)
      else targets.push({ change, current, state: change.wanted.state })
      continue
    }
    if (change.loaded === undefined) continue
    const state = await draftLoaded(change, change.loaded, current, changes, drafts, deps)
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
  { add, filterId, sources }: PlanChanges,
  drafts: ContentDrafts,
  { contents, now }: SwitchDeps,
): Promise<ActiveState | undefined> {
  const active = current?.state.status === 'active' ? current.state : undefined
  const own = [...new Set(loaded.sourceIds)].flatMap((sourceId) => sources.get(sourceId) ?? [])
  const kept = add === true && active !== undefined ? await readKept(active, own, contents) : []
  const all = [...kept, ...own].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
  const partial = loaded.partial || (kept.length > 0 && active?.partial === true)
  const sourcesKey = keyOfSources(
    all.map(({ sourceId }) => sourceId),
    partial,
    filterId,
  )
  if (active?.sourcesKey === sourcesKey && active.origin === loaded.origin) return undefined
  const figures = kept.length === 0 ? loaded.figures : sumFigures(all)
  const contentId = drafts.add(
    { sourcesKey, sources: all, partial, figures, ...(filterId !== undefined && { filterId }) },
    change,
  )
  const lastUpdatedOn = latestDate(all)
  return {
    status: 'active',
    contentId,
    sourcesKey,
    planIds: change.planIds,
    planIdCount: change.planIds.length,
    planIdsKey: keyOfPlanIds(change.planIds),
    sourceCount: all.length,
    ...(filterId !== undefined && { filterId }),
    partial,
    ...(lastUpdatedOn !== undefined && { lastUpdatedOn }),
    loadedAt: formatTimestamp(now()),
    ...(loaded.origin !== undefined && { origin: loaded.origin }),
  }
}

/** Reads the sources of a content, except those of files that were loaded again. */
async function readKept({ contentId }: ActiveState, own: readonly Source[], contents: ContentsAdmin) {
  const identities = new Set(own.map(({ identity }) => identity))
  const refs = await contents.readSourceRefs(contentId)
  const sources = await contents.readSources(refs.map(({ sourceId }) => sourceId))
  return sources.filter(({ identity }) => !identities.has(identity))
}

/** Codes and NPIs are added up per file, because it is unknown how many the files share. */
function sumFigures(sources: readonly Source[]): ContentFigures {
  const sum = (figure: (source: Source) => number) => sources.reduce((total, source) => total + figure(source), 0)
  return { rates: sum(({ rates }) => rates), codes: sum(({ codes }) => codes), npis: sum(({ npis }) => npis) }
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
  changedBy: string,
  deps: SwitchDeps,
  outcome: Outcome,
): Promise<readonly Change[]> {
  await retireContents(
    targets.flatMap(({ current }) => current ?? []),
    deps,
  )
  const superseded: Change[] = []
  for (let start = 0; start < targets.length; start += writesAtOnce) {
    await Promise.all(
      targets.slice(start, start + writesAtOnce).map(async ({ change, current, state }) => {
        const entry = nextEntry(change, current, state, changedBy, deps)
        const written = await deps.catalogue.replace(entry, current?.version)
        if (written === 'written') outcome.switched.push(entry)
        else superseded.push(change)
      }),
    )
  }
  return superseded
}

function nextEntry(
  { payer, plan, variantOf }: Change,
  current: CatalogueEntry | undefined,
  state: ActiveState | RemovedState,
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
