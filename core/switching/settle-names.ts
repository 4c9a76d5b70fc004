import { PrintableError } from '../../schema/printable-error.ts'
import type { ActiveState, CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { isOutdated } from '../catalogue/content.ts'
import { byKey, type FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { ContentDrafts } from './content-drafts.ts'
import type { SwitchDeps } from './plan-changes.ts'
import {
  activeOf,
  deriveName,
  isAsDerived,
  type PlanEntries,
  type Replacement,
  readPlanEntries,
  replaceEntries,
} from './plan-entries.ts'
import type { ContentName } from './ports.ts'
import { publishCurrent } from './publish-current.ts'

/** Maximum number of attempts if other loads change the same plans. */
const maxTries = 20

/** Other loads kept changing a plan. */
export class SwitchContended extends PrintableError {
  constructor({ payer, plan }: FeeSchedule) {
    super(`${payer} / ${plan}: other loads kept changing this fee schedule meanwhile; try again`)
  }
}

/**
 * Derives the entries of plans' names from their variants: searchable while all variants read the same sources. Runs
 * after variants have changed and always writes. If two operations change variants of one plan, the one that reads last
 * sees both changes, and the other's write fails on the version and is retried.
 *
 * @param plans published names whose variants have changed
 * @param drafts those of the operation
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
  await publishCurrent(deps)
  return settled
}

/** Derives a name. A searchable one reads a content of this switch, its own, a new one, or an outdated variant's. */
async function findTarget(
  { payer, plan }: FeeSchedule,
  { name: current, variants }: PlanEntries,
  drafts: ContentDrafts,
): Promise<Replacement> {
  const { planIds, state } = deriveName(variants)
  if (state.status !== 'active') return { payer, plan, current, state }
  const name = { payer, plan, planIds }
  const own = isAsDerived(current?.state, state) ? activeOf(current)?.contentId : undefined
  const contentId = drafts.find(state.sourcesKey, name) ?? own ?? (await draftContent(name, state, drafts))
  return { payer, plan, current, state: { ...state, contentId } }
}

async function draftContent(name: ContentName, derived: ActiveState, drafts: ContentDrafts): Promise<string> {
  const set = await drafts.sourcesOf(derived)
  // A search by the name then fails as one by the variant's does; in a new content it would find nothing.
  return set.sources.some(isOutdated) ? derived.contentId : drafts.add(set, name)
}
