import { at } from '../../schema/at.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { listAll } from '../catalogue/list-catalogue.ts'
import { workAtOnce } from '../work-at-once.ts'
import { changeVariants, FeeScheduleUnknown, findFeeSchedule, nameOf } from './manage-fee-schedules.ts'
import { type SwitchDeps, type SwitchReport, type VariantState, writesAtOnce } from './plan-changes.ts'
import { planOf } from './plan-entries.ts'
import { switchFeeSchedules } from './switch-fee-schedules.ts'

/**
 * Undoes the last load, removal or rollback of a fee schedule, so that its previous content is active again. For a
 * plan's name, undoes all variants that its last change changed; if that was a rollback that was killed, finishes it.
 *
 * @returns the entries that changed
 * @throws FeeScheduleUnknown if there is nothing to go back to, or its files have been deleted or are outdated
 * @throws SwitchContended
 * @example
 * const changed = await rollBackFeeSchedule({ payer: 'Acme', plan: 'Gold PPO' }, deps)
 */
export async function rollBackFeeSchedule(
  feeSchedule: FeeSchedule,
  deps: SwitchDeps,
): Promise<readonly CatalogueEntry[]> {
  const { entry, variants } = await findFeeSchedule(feeSchedule, deps.catalogue)
  const changed = variants.filter(({ previous }) => previous !== undefined)
  const last = changed.toSorted((a, b) => (replacedAt(a) < replacedAt(b) ? 1 : -1))[0]?.changedBy
  const unfinished = findUnfinished(entry, changed, last)
  const together = unfinished ?? changed.filter(({ changedBy }) => changedBy === last)
  const isFirstLoad = together.every(
    ({ state, previous }) => state.status === 'active' && previous?.state.status !== 'active',
  )
  if (isFirstLoad && unfinished === undefined)
    throw new FeeScheduleUnknown(`there is nothing to go back to before the first load of ${nameOf(entry)}`)
  const states = together.flatMap(findPrevious)
  await keepContents(states, deps)
  const operation = entry.variantOf === undefined ? nameRollback(deps.newId(), last) : deps.newId()
  // A killed rollback is finished under the id of its operation.
  return changeVariants(entry, states, (unfinished && last) ?? operation, deps)
}

const replacedAt = ({ previous }: CatalogueEntry) => previous?.replacedAt ?? ''

/**
 * Finds the variants that a killed rollback of a name has not changed yet. A rollback of one variant is a single write,
 * so it cannot be unfinished.
 *
 * @param last the operation that changed the variants last
 * @returns undefined if there is nothing to finish
 */
function findUnfinished(
  { variantOf, changedBy: nameChangedBy }: CatalogueEntry,
  variants: readonly CatalogueEntry[],
  last: string | undefined,
): readonly CatalogueEntry[] | undefined {
  const undone = undoneBy(last)
  if (variantOf !== undefined || undone === undefined) return undefined
  const unchanged = variants.filter(({ changedBy }) => operationOf(changedBy) === undone)
  // The name is written last.
  return unchanged.length > 0 || nameChangedBy !== last ? unchanged : undefined
}

/** The changes that a rollback of a load would make, and the ones that it would leave. Plan ids are counted. */
export interface UndoableLoad {
  readonly loadId: string
  /** The fee schedules that the load changed, and nothing has changed since. */
  readonly states: readonly VariantState[]
  /** Names that a killed rollback has not derived from their variants yet. */
  readonly unsettled: readonly FeeSchedule[]
  /**
   * Number of fee schedules to which another rollback brought back what this load loaded; they have no earlier state.
   */
  readonly broughtBack: number
  /** Number of fee schedules that something newer changed. */
  readonly replaced: number
  /** The loads or rollbacks that last changed the fee schedules of this load; the most frequent first. */
  readonly changers: readonly string[]
}

/** All rollbacks of a load are one operation, so that the entries tell whether one was killed. */
const operationFor = (loadId: string) => nameRollback(`undo-${loadId}`, loadId)

/** Finds the changes that a rollback of a load would make, and the ones that it would leave. */
export async function findUndoable(
  loadId: string,
  { catalogue, contents }: Pick<SwitchDeps, 'catalogue' | 'contents'>,
): Promise<UndoableLoad> {
  const operation = operationFor(loadId)
  const entries = await listAll(catalogue)
  const undone = byKey(entries.filter(({ changedBy }) => changedBy === operation))
  const variants = entries.filter(({ variantOf }) => variantOf !== undefined)
  const summaries = await contents.readContents([...new Set(variants.flatMap(contentsOf))])
  const loadContents = new Set(summaries.flatMap((each) => (each.loadId === loadId ? each.contentId : [])))
  const loaded = variants.filter((entry) => contentsOf(entry).some((contentId) => loadContents.has(contentId)))
  const changers = Map.groupBy(loaded, ({ changedBy }) => operationOf(changedBy))
  const changedSince = loaded.filter(({ changedBy }) => changedBy !== loadId && changedBy !== operation)
  const broughtBack = changedSince.filter(
    ({ state }) => state.status === 'active' && loadContents.has(state.contentId),
  ).length
  return {
    loadId,
    states: entries.flatMap((entry) => (entry.changedBy === loadId ? findPrevious(entry) : [])),
    unsettled: [...undone.values()].map(planOf).filter((name) => !undone.has(feeScheduleKey(name))),
    broughtBack,
    replaced: changedSince.length - broughtBack,
    changers: [...changers].toSorted(([, a], [, b]) => b.length - a.length).map(([changer]) => changer),
  }
}

const contentsOf = ({ state, previous }: CatalogueEntry) =>
  [state, previous?.state].flatMap((each) => (each?.status === 'active' ? each.contentId : []))

/**
 * Undoes a load: each fee schedule that it changed gets its previous content back, or none if it had none. Fee
 * schedules that were changed since stay as they are. To finish a killed rollback, run it again.
 *
 * @throws FeeScheduleUnknown if a previous content has been deleted or is outdated; then nothing has changed
 */
export async function rollBackLoad(
  { loadId, states, unsettled }: UndoableLoad,
  deps: SwitchDeps,
): Promise<SwitchReport> {
  await keepContents(states, deps)
  return switchFeeSchedules({ loadId: operationFor(loadId), states, unsettled }, deps)
}

/**
 * Returns the operation id that a rollback writes to the entries that it changes. The id names the operation that is
 * undone: if the rollback is killed, the entries that still have that operation are the ones to finish.
 */
const nameRollback = (id: string, undone: string | undefined) => `${id}~${operationOf(undone)}`

const operationOf = (changedBy = '') => at(changedBy.split('~'), 0)

const undoneBy = (changedBy = '') => changedBy.split('~')[1]

/** Returns the state that a rollback sets an entry to. A name has none, because it is derived from its variants. */
const findPrevious = (entry: CatalogueEntry): readonly VariantState[] =>
  entry.previous === undefined ? [] : [{ entry, state: entry.previous.state }]

/**
 * Keeps the contents of states for another day.
 *
 * @throws FeeScheduleUnknown if one is outdated, before anything changes, or if `cleanWarehouse` has already claimed
 *   one
 */
async function keepContents(states: readonly VariantState[], { contents, now }: SwitchDeps): Promise<void> {
  const entryOf = new Map<string, CatalogueEntry>()
  for (const { entry, state } of states) if (state.status === 'active') entryOf.set(state.contentId, entry)
  for (const { contentId, isOutdated } of await contents.readContents([...entryOf.keys()])) {
    const entry = isOutdated && entryOf.get(contentId)
    if (entry)
      throw new FeeScheduleUnknown(
        `${nameOf(entry)}: an earlier version loaded its previous content, which searches no longer find: load its files again`,
      )
  }
  await workAtOnce(entryOf, writesAtOnce, async ([contentId, entry]) => {
    if ((await contents.retireContent(contentId, now())) === 'written') return
    throw new FeeScheduleUnknown(`the previous content of ${nameOf(entry)} has been deleted: load its files again`)
  })
}
