import { addSeconds } from '../../core/time.ts'
import { type CleanReport, cleanWarehouse, keptSeconds } from '../publish/catalogue/clean-warehouse.ts'
import type { SwitchDeps } from '../publish/catalogue/plan-changes.ts'
import type { StepDeps } from './step-deps.ts'

/**
 * Removes what loads by many workers have left that ended, or were killed, a day ago. They cannot be resumed then.
 *
 * @param isDry removes nothing
 * @returns the number of loads
 */
export async function cleanLoads(
  { records, work, now }: Pick<StepDeps, 'records' | 'work' | 'now'>,
  isDry = false,
): Promise<number> {
  const before = addSeconds(now(), -keptSeconds)
  let cleaned = 0
  for (const { loadId, touchedAt, endedAt = touchedAt } of await records.list()) {
    if (endedAt >= before || (await work.readOrder(loadId)) === undefined) continue
    if (!isDry) await work.remove(loadId)
    cleaned++
  }
  return cleaned
}

/** Removes what `cleanWarehouse` and `cleanLoads` remove. */
export async function cleanAll(
  deps: SwitchDeps & Pick<StepDeps, 'records' | 'work' | 'now'>,
  isDry = false,
  keepMonths?: number,
): Promise<CleanReport & { readonly loads: number }> {
  return { ...(await cleanWarehouse(deps, isDry, keepMonths)), loads: await cleanLoads(deps, isDry) }
}
