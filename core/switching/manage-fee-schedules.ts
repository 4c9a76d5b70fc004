import { PrintableError } from '../../schema/printable-error.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { type FeeSchedule, normaliseName } from '../catalogue/fee-schedule.ts'
import { workAtOnce } from '../work-at-once.ts'
import { type SwitchDeps, type VariantState, writesAtOnce } from './plan-changes.ts'
import { SwitchContended } from './settle-names.ts'
import { switchFeeSchedules } from './switch-fee-schedules.ts'

/** The operator named a fee schedule that does not exist, or a change that does not apply to it. */
export class FeeScheduleUnknown extends PrintableError {}

/**
 * Finds the entry of a name with its variants, or of a single variant.
 *
 * @throws FeeScheduleUnknown
 * @example
 * const { entry, variants } = await findFeeSchedule({ payer: 'Acme', plan: 'Gold PPO' }, deps.catalogue)
 */
export async function findFeeSchedule(
  { payer, plan }: FeeSchedule,
  catalogue: Pick<SwitchDeps['catalogue'], 'find' | 'listVariants'>,
): Promise<{ readonly entry: CatalogueEntry; readonly variants: readonly CatalogueEntry[] }> {
  const name = { payer: normaliseName(payer), plan: normaliseName(plan) }
  const [entry] = await catalogue.find([name])
  if (entry === undefined) throw new FeeScheduleUnknown(`there is no fee schedule ${payer} / ${plan}`)
  if (entry.variantOf !== undefined) return { entry, variants: [entry] }
  const variants = (await catalogue.listVariants(name)).filter(({ variantOf }) => variantOf !== undefined)
  return { entry, variants }
}

/**
 * Removes a fee schedule from the catalogue; a plan's name with all its variants. New searches no longer find it.
 * Running searches keep their files for a day, and until then `rollBackFeeSchedule` can undo the removal.
 *
 * @returns the entries that were removed
 * @throws FeeScheduleUnknown, SwitchContended
 * @example
 * const removed = await removeFeeSchedule({ payer: 'Acme', plan: 'Gold PPO (EIN 222222222)' }, deps)
 */
export async function removeFeeSchedule(
  feeSchedule: FeeSchedule,
  deps: SwitchDeps,
): Promise<readonly CatalogueEntry[]> {
  const { entry, variants } = await findFeeSchedule(feeSchedule, deps.catalogue)
  if (entry.state.status === 'relation') {
    throw new FeeScheduleUnknown(`${nameOf(entry)} is not loaded: take it out of the relation fee_schedules`)
  }
  const active = variants.filter(({ state }) => state.status === 'active')
  if (active.length === 0 && entry.state.status === 'removed')
    throw new FeeScheduleUnknown(`${nameOf(entry)} is already removed; fee-schedules rollback brings it back`)
  return changeVariants(
    entry,
    active.map((variant) => ({ entry: variant, state: { status: 'removed' } })),
    deps.newId(),
    deps,
  )
}

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
  const [last] = changed.toSorted((a, b) => ((a.previous?.replacedAt ?? '') < (b.previous?.replacedAt ?? '') ? 1 : -1))
  const undone = entry.variantOf === undefined ? undoneBy(last?.changedBy) : undefined
  const rest = changed.filter(({ changedBy }) => undone !== undefined && operationOf(changedBy) === undone)
  // The name is written last.
  const isInterrupted = undone !== undefined && (rest.length > 0 || entry.changedBy !== last?.changedBy)
  const together = isInterrupted ? rest : changed.filter(({ changedBy }) => changedBy === last?.changedBy)
  const isFirstLoad = together.every(({ previous }) => previous?.state.status !== 'active') && together.every(isActive)
  if (isFirstLoad && !isInterrupted)
    throw new FeeScheduleUnknown(`there is nothing to go back to before the first load of ${nameOf(entry)}`)
  const states = together.flatMap(findPrevious)
  await keepContents(states, deps)
  return changeVariants(entry, states, chooseOperation(entry, last?.changedBy, isInterrupted, deps), deps)
}

/**
 * The operation that a rollback is noted as in the entries that it changes. It names the operation that it undoes: if it
 * is killed, the entries of that operation are the ones left to roll back.
 */
export const nameRollback = (id: string, undone: string | undefined) => `${id}~${operationOf(undone)}`

export const operationOf = (changedBy = '') => changedBy.split('~')[0] ?? ''

const undoneBy = (changedBy = '') => changedBy.split('~')[1]

/** What a rollback sets an entry to. A name has no previous state: it is derived from its variants. */
export const findPrevious = (entry: CatalogueEntry): readonly VariantState[] =>
  entry.previous === undefined ? [] : [{ entry, state: entry.previous.state }]

/**
 * Keeps the contents of states for another day.
 *
 * @throws FeeScheduleUnknown if one is outdated, before anything changes, or if `cleanWarehouse` has already claimed one
 */
export async function keepContents(states: readonly VariantState[], { contents, now }: SwitchDeps): Promise<void> {
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

/** A rollback of a variant cannot be half done, so only those of names can be resumed. */
function chooseOperation(
  { variantOf }: CatalogueEntry,
  last: string | undefined,
  isInterrupted: boolean,
  { newId }: SwitchDeps,
): string {
  if (isInterrupted && last !== undefined) return last
  return variantOf === undefined ? nameRollback(newId(), last) : newId()
}

const isActive = ({ state }: CatalogueEntry) => state.status === 'active'

/** Changes variants, then the derived name, also if an earlier change was interrupted before it got to the name. */
async function changeVariants(
  { payer, plan, variantOf = plan }: CatalogueEntry,
  states: readonly VariantState[],
  loadId: string,
  deps: SwitchDeps,
): Promise<readonly CatalogueEntry[]> {
  const unsettled = states.length === 0 ? [{ payer, plan: variantOf }] : []
  const { switched, contended } = await switchFeeSchedules({ loadId, states, unsettled }, deps)
  const [first] = contended
  if (first !== undefined) throw new SwitchContended(first)
  return switched
}

const nameOf = ({ payer, plan }: FeeSchedule) => `${payer} / ${plan}`
