import { normaliseName } from '../../contract/texts/names.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { SwitchDeps, VariantState } from './plan-changes.ts'
import { planOf } from './plan-entries.ts'
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

/** Changes variants, then the derived name, even if an earlier change was interrupted before it got to the name. */
export async function changeVariants(
  entry: CatalogueEntry,
  states: readonly VariantState[],
  loadId: string,
  deps: SwitchDeps,
): Promise<readonly CatalogueEntry[]> {
  const unsettled = states.length === 0 ? [planOf(entry)] : []
  const { switched, contended } = await switchFeeSchedules({ loadId, states, unsettled }, deps)
  const [first] = contended
  if (first !== undefined) throw new SwitchContended(first)
  return switched
}

/** Formats a fee schedule for a message. */
export const nameOf = ({ payer, plan }: FeeSchedule): string => `${payer} / ${plan}`
