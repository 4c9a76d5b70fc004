import type { CatalogueEntry, ReplacedContent } from '../core/catalogue-entry.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import { normaliseName } from '../core/fee-schedule.ts'
import { listAll } from '../core/list-catalogue.ts'
import type { CatalogueAdmin, Clock } from '../core/ports.ts'
import { addSeconds, formatTimestamp } from '../core/timestamp.ts'
import { contentIn, SwitchContended } from './switch-catalogue.ts'
import type { WarehouseFolder } from './warehouse-folder.ts'

export interface FeeSchedulesDeps {
  readonly warehouse: WarehouseFolder
  readonly catalogue: CatalogueAdmin
  readonly newVersion: () => string
  readonly now: Clock
}

/** The operator asked for what is not there; the message says what is. */
export class FeeScheduleUnknown extends Error {
  override readonly name = 'FeeScheduleUnknown'
}

/** How long loads that no longer count stay: longer than any search that reads them, and a day to see a bad month. */
export const keptSeconds = 24 * 60 * 60

/**
 * The entry of a fee schedule.
 *
 * @throws FeeScheduleUnknown
 */
export async function findFeeSchedule(
  { payer, plan }: FeeSchedule,
  catalogue: Pick<CatalogueAdmin, 'find'>,
): Promise<CatalogueEntry> {
  const [entry] = await catalogue.find([{ payer: normaliseName(payer), plan: normaliseName(plan) }])
  if (entry === undefined) throw new FeeScheduleUnknown(`there is no fee schedule ${payer} / ${plan}`)
  return entry
}

/**
 * Takes a fee schedule out of the catalogue: no search finds it from now on. Those that run keep their files, which stay
 * for a day.
 *
 * @throws FeeScheduleUnknown, SwitchContended
 */
export async function removeFeeSchedule(feeSchedule: FeeSchedule, deps: FeeSchedulesDeps): Promise<CatalogueEntry> {
  const entry = await findFeeSchedule(feeSchedule, deps.catalogue)
  // Before the removal: the files of an entry that is gone are kept by this alone.
  await deps.warehouse.retire(entry.sources)
  if ((await deps.catalogue.remove(entry, entry.version)) === 'superseded') throw new SwitchContended(entry)
  return entry
}

/**
 * Brings back what counted before the last load. What counts now can be brought back the same way.
 *
 * @throws FeeScheduleUnknown where nothing counted before, or its files are gone
 * @throws SwitchContended
 */
export async function rollBackFeeSchedule(feeSchedule: FeeSchedule, deps: FeeSchedulesDeps): Promise<CatalogueEntry> {
  const current = await findFeeSchedule(feeSchedule, deps.catalogue)
  const { payer, plan, previous } = current
  if (previous === undefined) throw new FeeScheduleUnknown(`nothing counted for ${payer} / ${plan} before`)
  const stored = new Set((await deps.warehouse.list()).map(({ sourceId }) => sourceId))
  if (previous.sources.some((source) => !stored.has(source))) {
    throw new FeeScheduleUnknown(`what counted for ${payer} / ${plan} before has been removed: load its files again`)
  }
  const { replacedAt: _, ...content } = previous
  const replaced = { ...contentIn(current), replacedAt: formatTimestamp(deps.now()) }
  const entry = { payer, plan, ...content, version: deps.newVersion(), previous: replaced }
  await deps.warehouse.retire(current.sources)
  if ((await deps.catalogue.replace(entry, current.version)) === 'superseded') throw new SwitchContended(entry)
  return entry
}

/**
 * Removes the loads that have not counted for a day, and what killed loads have left behind.
 *
 * @returns the ids of the sources that were removed
 */
export async function cleanWarehouse({ warehouse, catalogue, now }: FeeSchedulesDeps): Promise<readonly string[]> {
  const before = addSeconds(now(), -keptSeconds)
  // Listed before the catalogue is read: a source that a load brings meanwhile is not among them.
  const stored = await warehouse.list()
  const entries = await listAll(catalogue)
  const isKept = (previous: ReplacedContent | undefined) =>
    previous !== undefined && new Date(previous.replacedAt) >= before
  const counting = new Set(
    entries.flatMap(({ sources, previous }) => [...sources, ...((isKept(previous) && previous?.sources) || [])]),
  )
  const old = stored.filter(({ sourceId, touchedAt }) => !counting.has(sourceId) && touchedAt < before)
  const removed = old.map(({ sourceId }) => sourceId)
  for (const sourceId of removed) await warehouse.remove(sourceId)
  await warehouse.cleanStaging(before)
  return removed
}
