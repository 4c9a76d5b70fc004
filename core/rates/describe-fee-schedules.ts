import type { CatalogueEntry, EntryState } from '../catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { openNearest } from '../catalogue/resolving/missing-fee-schedules.ts'
import type { RatesEstimate } from './rates.ts'

/**
 * Maximum number of fee schedules for which the nearest names are looked up, so that a request with many wrong names is
 * cheap.
 */
const maxLookedUp = 10

/**
 * Describes the fee schedules of a request for an estimate: whether searches can read them, else the nearest names.
 *
 * @param statuses of the entries that searches can read
 */
export async function describeFeeSchedules(
  catalogue: Catalogue,
  feeSchedules: readonly FeeSchedule[],
  entries: ReadonlyMap<string, CatalogueEntry>,
  statuses: readonly EntryState['status'][],
): Promise<RatesEstimate['feeSchedules']> {
  const findNearest = openNearest(catalogue, entries)
  const descriptions: RatesEstimate['feeSchedules'][number][] = []
  let lookedUp = 0
  for (const { payer, plan } of feeSchedules) {
    const name = feeScheduleKey({ payer, plan })
    const exists = statuses.includes(entries.get(name)?.state.status ?? 'removed')
    const isLookedUp = !exists && lookedUp++ < maxLookedUp
    const nearest = isLookedUp ? await findNearest({ payer, plan }, name) : []
    descriptions.push({ payer, plan, exists, nearest: nearest.map((one) => ({ payer: one.payer, plan: one.plan })) })
  }
  return descriptions
}
