import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../../../core/catalogue/fee-schedule.ts'
import { listAll } from '../../../core/catalogue/list-catalogue.ts'
import { findPrevious, keepContents, nameRollback, operationOf } from './manage-fee-schedules.ts'
import type { SwitchDeps, SwitchReport, VariantState } from './plan-changes.ts'
import { settleNames } from './settle-names.ts'
import { switchFeeSchedules } from './switch-fee-schedules.ts'

type Readers = Pick<SwitchDeps, 'catalogue' | 'contents'>

/** What a rollback of a load would change. Fee schedules are counted by plan id. */
export interface UndoableLoad {
  readonly loadId: string
  /** The fee schedules that the load changed, and nothing has changed since. */
  readonly states: readonly VariantState[]
  /** Names that a rollback that was killed has not derived from their variants yet. */
  readonly unsettled: readonly FeeSchedule[]
}

/** All rollbacks of a load are one operation, so that one that was killed is known by its entries. */
const operationFor = (loadId: string) => nameRollback(`undo-${loadId}`, loadId)

/** Finds what a rollback of a load would change. */
export async function findUndoable(
  loadId: string,
  { catalogue }: Pick<SwitchDeps, 'catalogue'>,
): Promise<UndoableLoad> {
  const operation = operationFor(loadId)
  const entries = await listAll(catalogue)
  const settled = new Set(entries.filter(({ changedBy }) => changedBy === operation).map(feeScheduleKey))
  const names = entries.flatMap(({ payer, variantOf, changedBy }) =>
    variantOf !== undefined && changedBy === operation ? [{ payer, plan: variantOf }] : [],
  )
  return {
    loadId,
    states: entries.flatMap((entry) => (entry.changedBy === loadId ? findPrevious(entry) : [])),
    unsettled: names.filter((name) => !settled.has(feeScheduleKey(name))),
  }
}

/** The loads, or rollbacks, that changed what a load loaded; it is active or the previous state of theirs. The most frequent first. */
export async function findChangers(loadId: string, deps: Readers): Promise<readonly string[]> {
  const { variants, own } = await findLoaded(loadId, deps)
  const changed = variants.filter((entry) => contentsOf(entry).some((contentId) => own.has(contentId)))
  const changers = Map.groupBy(changed, ({ changedBy }) => operationOf(changedBy))
  return [...changers].toSorted(([, a], [, b]) => b.length - a.length).map(([changer]) => changer)
}

/**
 * Counts the fee schedules that a rollback of a load leaves as they are: `broughtBack`, which have what it loaded from
 * another rollback, so that what was before is gone, and `replaced`, which something newer changed.
 */
export async function countLeft(
  loadId: string,
  deps: Readers,
): Promise<{ readonly broughtBack: number; readonly replaced: number }> {
  const { variants, own } = await findLoaded(loadId, deps)
  const done = [loadId, operationFor(loadId)]
  const others = variants.filter(({ changedBy }) => !done.includes(changedBy ?? ''))
  const isOwn = (state: CatalogueEntry['state'] | undefined) => state?.status === 'active' && own.has(state.contentId)
  const broughtBack = others.filter(({ state }) => isOwn(state)).length
  const replaced = others.filter(({ state, previous }) => !isOwn(state) && isOwn(previous?.state)).length
  return { broughtBack, replaced }
}

async function findLoaded(loadId: string, { catalogue, contents }: Readers) {
  const variants = (await listAll(catalogue)).filter(({ variantOf }) => variantOf !== undefined)
  const summaries = await contents.readContents([...new Set(variants.flatMap(contentsOf))])
  return { variants, own: new Set(summaries.flatMap((each) => (each.loadId === loadId ? each.contentId : []))) }
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
  const operation = operationFor(loadId)
  const report = await switchFeeSchedules({ loadId: operation, states }, deps)
  if (unsettled.length > 0) await settleNames(unsettled, operation, deps)
  return report
}
