import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { listAll } from '../catalogue/list-catalogue.ts'
import { findPrevious, keepContents, nameRollback, operationOf } from './manage-fee-schedules.ts'
import type { SwitchDeps, SwitchReport, VariantState } from './plan-changes.ts'
import { switchFeeSchedules } from './switch-fee-schedules.ts'

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
  const settled = new Set(entries.filter(({ changedBy }) => changedBy === operation).map(feeScheduleKey))
  const names = entries.flatMap(({ payer, variantOf, changedBy }) =>
    variantOf !== undefined && changedBy === operation ? [{ payer, plan: variantOf }] : [],
  )
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
    unsettled: names.filter((name) => !settled.has(feeScheduleKey(name))),
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
