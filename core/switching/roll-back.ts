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
  const rest = findRest(entry, changed, last)
  const together = rest ?? changed.filter(({ changedBy }) => changedBy === last)
  const isFirstLoad = together.every(
    ({ state, previous }) => state.status === 'active' && previous?.state.status !== 'active',
  )
  if (isFirstLoad && rest === undefined)
    throw new FeeScheduleUnknown(`there is nothing to go back to before the first load of ${nameOf(entry)}`)
  const states = together.flatMap(findPrevious)
  await keepContents(states, deps)
  const operation = entry.variantOf === undefined ? nameRollback(deps.newId(), last) : deps.newId()
  // What was killed is finished as the same operation.
  return changeVariants(entry, states, (rest && last) ?? operation, deps)
}

const replacedAt = ({ previous }: CatalogueEntry) => previous?.replacedAt ?? ''

/**
 * Finds the variants that the last rollback of a name, which was killed, has left. A rollback of a variant cannot be half
 * done.
 *
 * @param last what changed its variants last
 * @returns undefined if there is nothing to finish
 */
function findRest(
  { variantOf, changedBy: nameChangedBy }: CatalogueEntry,
  variants: readonly CatalogueEntry[],
  last: string | undefined,
): readonly CatalogueEntry[] | undefined {
  const undone = undoneBy(last)
  if (variantOf !== undefined || undone === undefined) return undefined
  const rest = variants.filter(({ changedBy }) => operationOf(changedBy) === undone)
  // The name is written last.
  return rest.length > 0 || nameChangedBy !== last ? rest : undefined
}

/** What a rollback of a load would change, and what it would leave. Fee schedules are counted by plan id. */
export interface UndoableLoad {
  readonly loadId: string
  /** The fee schedules that the load changed, and nothing has changed since. */
  readonly states: readonly VariantState[]
  /** Names that a rollback that was killed has not derived from their variants yet. */
  readonly unsettled: readonly FeeSchedule[]
  /** Number of fee schedules that have what it loaded from another rollback, so that what was before is gone. */
  readonly broughtBack: number
  /** Number of fee schedules that something newer changed. */
  readonly replaced: number
  /** The loads, or rollbacks, that changed what has or had what it loaded; the most frequent first. */
  readonly changers: readonly string[]
}

/** All rollbacks of a load are one operation, so that one that was killed is known by its entries. */
const operationFor = (loadId: string) => nameRollback(`undo-${loadId}`, loadId)

/** Finds what a rollback of a load would change, and what it would leave as it is. */
export async function findUndoable(
  loadId: string,
  { catalogue, contents }: Pick<SwitchDeps, 'catalogue' | 'contents'>,
): Promise<UndoableLoad> {
  const operation = operationFor(loadId)
  const entries = await listAll(catalogue)
  const undone = byKey(entries.filter(({ changedBy }) => changedBy === operation))
  const variants = entries.filter(({ variantOf }) => variantOf !== undefined)
  const summaries = await contents.readContents([...new Set(variants.flatMap(contentsOf))])
  const own = new Set(summaries.flatMap((each) => (each.loadId === loadId ? each.contentId : [])))
  const loaded = variants.filter((entry) => contentsOf(entry).some((contentId) => own.has(contentId)))
  const changers = Map.groupBy(loaded, ({ changedBy }) => operationOf(changedBy))
  const left = loaded.filter(({ changedBy }) => changedBy !== loadId && changedBy !== operation)
  const broughtBack = left.filter(({ state }) => state.status === 'active' && own.has(state.contentId)).length
  return {
    loadId,
    states: entries.flatMap((entry) => (entry.changedBy === loadId ? findPrevious(entry) : [])),
    unsettled: [...undone.values()].map(planOf).filter((name) => !undone.has(feeScheduleKey(name))),
    broughtBack,
    replaced: left.length - broughtBack,
    changers: [...changers].toSorted(([, a], [, b]) => b.length - a.length).map(([changer]) => changer),
  }
}

const contentsOf = ({ state, previous }: CatalogueEntry) =>
  [state, previous?.state].flatMap((each) => (each?.status === 'active' ? each.contentId : []))

/**
 * Undoes a load: each fee schedule that it changed has its previous content again, or none if it had none. What was
 * changed since stays. A rollback that was killed is finished by running it again.
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
 * The operation that a rollback is noted as in the entries that it changes. It names the operation that it undoes: if it
 * is killed, the entries of that operation are the ones left to roll back.
 */
const nameRollback = (id: string, undone: string | undefined) => `${id}~${operationOf(undone)}`

const operationOf = (changedBy = '') => at(changedBy.split('~'), 0)

const undoneBy = (changedBy = '') => changedBy.split('~')[1]

/** What a rollback sets an entry to. A name has no previous state: it is derived from its variants. */
const findPrevious = (entry: CatalogueEntry): readonly VariantState[] =>
  entry.previous === undefined ? [] : [{ entry, state: entry.previous.state }]

/**
 * Keeps the contents of states for another day.
 *
 * @throws FeeScheduleUnknown if one is outdated, before anything changes, or if `cleanWarehouse` has already claimed one
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
