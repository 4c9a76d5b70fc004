import { PrintableError } from '../../schema/printable-error.ts'
import type { ActiveState, CatalogueEntry, EntryState } from '../catalogue/catalogue-entry.ts'
import { isOutdated } from '../catalogue/content.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { keyOfPlanIds, showPlanIds } from '../catalogue/plan-id.ts'
import { type ContentDrafts, openDrafts, type SourceSet } from './content-drafts.ts'
import type { SwitchDeps } from './plan-changes.ts'
import { deriveName, type NameState, type PlanEntries, readPlanEntries, replaceEntries } from './plan-entries.ts'
import { publishCurrent } from './publish-current.ts'
import { readSourcesOf } from './source-sets.ts'

/** Maximum number of attempts if other loads change the same plans. */
const maxTries = 20

/** Other loads kept changing a plan. */
export class SwitchContended extends PrintableError {
  constructor({ payer, plan }: FeeSchedule) {
    super(`${payer} / ${plan}: other loads kept changing this fee schedule meanwhile; try again`)
  }
}

/** A name to write. */
interface Settling {
  readonly plan: FeeSchedule
  readonly entries: PlanEntries
  readonly name: NameState
}

/**
 * Derives the entries of plans' names from their variants: searchable while all variants read the same sources. Runs
 * after variants have changed and always writes. If two operations change variants of one plan, the one that reads last
 * sees both changes, and the other's write fails on the version and is retried.
 *
 * @param plans published names whose variants have changed
 * @returns the entries after the change
 * @throws SwitchContended
 */
export async function settleNames(
  plans: readonly FeeSchedule[],
  changedBy: string,
  deps: SwitchDeps,
  drafts = openDrafts(changedBy, deps),
): Promise<readonly CatalogueEntry[]> {
  const settled: CatalogueEntry[] = []
  let pending = [...byKey(plans).values()]
  for (let tries = 0; pending.length > 0; tries++) {
    const [first] = pending
    if (tries === maxTries && first !== undefined) throw new SwitchContended(first)
    const read = await readPlanEntries(pending, deps.catalogue)
    const settling = pending.map((plan) => {
      const entries = read.get(feeScheduleKey(plan)) ?? { variants: [] }
      return { plan, entries, name: deriveName(entries.variants) }
    })
    const contentIds = await findContents(settling, drafts, deps)
    const targets = settling.map(({ plan, entries, name }) => {
      const state = describeName(name, contentIds.get(feeScheduleKey(plan)))
      return { plan, current: entries.name, next: state && { ...plan, version: deps.newId(), state, changedBy } }
    })
    const { written, superseded } = await replaceEntries(targets, deps)
    settled.push(...written)
    pending = superseded.map(({ plan }) => plan)
  }
  await publishCurrent(deps)
  return settled
}

/** Finds the contents of searchable names, by plan key: of this switch, already active, an outdated variant's, or new. */
async function findContents(
  settling: readonly Settling[],
  drafts: ContentDrafts,
  deps: SwitchDeps,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { plan, entries, name } of settling) {
    if (name.status !== 'active') continue
    const { sourcesKey } = name.state
    const named = { ...plan, planIds: name.planIds }
    const current = entries.name?.state
    const isSame = current?.status === 'active' && current.sourcesKey === sourcesKey
    const own = isSame && current.planIdsKey === keyOfPlanIds(name.planIds) ? current.contentId : undefined
    const known = drafts.find(sourcesKey, named) ?? own
    if (known !== undefined) {
      found.set(feeScheduleKey(plan), known)
      continue
    }
    const sources = await drafts.sourcesOf(sourcesKey, () => readSet(name.state, deps))
    // A search by the name then fails as one by the variant's does; in a new content it would find nothing.
    const isOld = sources.sources.some(isOutdated)
    found.set(feeScheduleKey(plan), isOld ? name.state.contentId : drafts.add(sources, named))
  }
  const lost = await drafts.write()
  return new Map([...found].filter(([, contentId]) => !lost.has(contentId)))
}

/** The sources of a variant's content. */
async function readSet({ contentId, sourcesKey }: ActiveState, { contents }: SwitchDeps): Promise<SourceSet> {
  const [summary] = await contents.readContents([contentId])
  const sources = await readSourcesOf(contentId, contents)
  if (summary === undefined || sources.length < summary.sourceCount)
    throw new Error(`content ${contentId} is not whole`)
  const { partial, figures, filterId, lastUpdatedOn } = summary
  return { sourcesKey, sources, partial, figures, filterId, lastUpdatedOn }
}

function describeName(name: NameState, contentId: string | undefined): EntryState | undefined {
  if (name.status !== 'active') return name
  if (contentId === undefined) return undefined
  const { origin: _, publisher: _publisher, facts: _facts, ...state } = name.state
  const { planIds, facts } = name
  return { ...state, contentId, ...showPlanIds(planIds), planIdsKey: keyOfPlanIds(planIds), ...(facts && { facts }) }
}
