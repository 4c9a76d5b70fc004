import { contentUnit, type SourceRef, sourceUnit, type WarehouseUnit } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import type { ContentSummary } from '../catalogue/content.ts'
import { feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { firstKeptDay, hasPast, listPastContents } from '../catalogue/history.ts'
import { listAll } from '../catalogue/list-catalogue.ts'
import type { KeptDays } from '../catalogue/ports.ts'
import { compactIndex } from '../catalogue/word-index/word-index.ts'
import type { LoadRecords } from '../loads/ports.ts'
import { addSeconds, formatTimestamp } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import { type SwitchDeps, writesAtOnce } from './plan-changes.ts'
import { planOf } from './plan-entries.ts'
import { publishCurrent } from './publish-current.ts'

/**
 * Seconds for which superseded and removed contents are retained: longer than any search reads them, and long enough
 * for an operator to notice a bad load and roll back.
 */
export const keptSeconds = 24 * 60 * 60

interface CleanDeps extends SwitchDeps {
  readonly records: Pick<LoadRecords, 'listOpen' | 'unpin'>
}

/** The warehouse units that `cleanWarehouse` removed, or would remove. */
export interface CleanReport {
  readonly sources: number
  readonly contents: number
  /** Size of their files. */
  readonly bytes: number
}

/**
 * Removes contents that no entry has pointed to for a day, sources without a content, and leftovers of killed loads.
 * Everything that determines what is in use is read before anything is removed; the removals' conditions protect what a
 * concurrent load starts to use.
 *
 * @param isDry true to remove nothing
 * @param keepMonths months back for which searches can name a day. @default - as at the last clean, at first 0
 * @throws KeptDaysNew
 * @example
 * const { sources, contents, bytes } = await cleanWarehouse(deps)
 */
export async function cleanWarehouse(deps: CleanDeps, isDry = false, keepMonths?: number): Promise<CleanReport> {
  const { warehouse, contents, records, now } = deps
  const before = addSeconds(now(), -keptSeconds)
  const firstDay = await retainDays(deps, before, isDry, keepMonths)
  const inventory = await takeInventory(deps)
  const openLoads = inventory.unendedLoads.filter(({ touchedAt }) => touchedAt >= before)
  const openLoadIds = new Set(openLoads.map(({ loadId }) => loadId))

  const retainedContentIds = chooseRetainedContents(inventory, openLoadIds, before, firstDay)
  const retainedSourceIds = new Set(openLoads.flatMap(({ pinned }) => pinned))
  const retainSourcesOf = (contentIds: Iterable<string>) =>
    workAtOnce(contentIds, writesAtOnce, async (contentId) => {
      for (const { sourceId } of await contents.readSourceRefs(contentId)) retainedSourceIds.add(sourceId)
    })
  await retainSourcesOf(retainedContentIds)

  const unusedContents = listOldContents(inventory, before).filter((contentId) => !retainedContentIds.has(contentId))
  const contentUnits = unusedContents.map(contentUnit)
  const oldSources = listOldSources(inventory, before)
  const listUnusedSources = () =>
    oldSources
      .filter(({ sourceId, loadId }) => !retainedSourceIds.has(sourceId) && !openLoadIds.has(loadId))
      .map(sourceUnit)
  if (isDry) return reportUnits(inventory, contentUnits, listUnusedSources())

  // So that `rates_current` names nothing that is removed, even if an operation was killed before it wrote it.
  await publishCurrent(deps)
  const removedContents = await removeAll(contentUnits, ({ id }) => contents.removeContent(id, before), deps)
  // Contents that a rollback has begun to use meanwhile need their sources.
  await retainSourcesOf(contentUnits.flatMap((unit) => (removedContents.includes(unit) ? [] : unit.id)))
  const removedSources = await removeAll(listUnusedSources(), ({ id }) => contents.removeSource(id, before), deps)
  await removeEntries(inventory, before, firstDay, deps)
  for (const { loadId, touchedAt, pinned } of inventory.unendedLoads)
    if (touchedAt < before && pinned.length > 0) await records.unpin(loadId)
  await warehouse.cleanWorkspaces(before)
  return reportUnits(inventory, removedContents, removedSources)
}

type Inventory = Awaited<ReturnType<typeof takeInventory>>

/**
 * Reads what is stored and what refers to it, one after the other: files are listed first, so that those of a
 * concurrent load are no candidates for removal.
 */
async function takeInventory({ warehouse, catalogue, contents, records }: CleanDeps) {
  return {
    storedUnits: await warehouse.list(),
    sources: await Array.fromAsync(contents.listSources()),
    unendedLoads: await records.listOpen(),
    contents: await Array.fromAsync(contents.listContents()),
    segments: await catalogue.listSegments(),
    entries: await listAll(catalogue),
  }
}

/** Superseded contents were retired when they were replaced, so only entries say which are in use. */
function chooseRetainedContents(
  { entries, contents }: Inventory,
  openLoadIds: ReadonlySet<string>,
  before: Date,
  firstDay: string,
): ReadonlySet<string> {
  const usedContentIds = new Set(
    entries.flatMap((entry) => [
      ...(entry.state.status === 'active' ? [entry.state.contentId] : []),
      ...listPastContents(entry, firstDay),
    ]),
  )
  const isRetained = ({ contentId, loadId, createdAt, retiredAt = createdAt }: ContentSummary) =>
    usedContentIds.has(contentId) || openLoadIds.has(loadId) || retiredAt >= before || createdAt >= before
  return new Set(contents.filter(isRetained).map(({ contentId }) => contentId))
}

/** Lists the ids of all contents except those whose files are new, each once. */
function listOldContents({ contents, storedUnits }: Inventory, before: Date): readonly string[] {
  const oldUnits = storedUnits.filter(({ touchedAt, loadId }) => touchedAt < before && loadId === undefined)
  return [...new Set([...contents.map(({ contentId }) => contentId), ...oldUnits.map(({ id }) => id)])]
}

/** Lists the sources that were noted or stored before a time, each once. */
function listOldSources({ sources, storedUnits }: Inventory, before: Date): readonly SourceRef[] {
  const oldUnits = storedUnits.filter(({ touchedAt }) => touchedAt < before)
  const storedSources = oldUnits.flatMap(({ id, loadId }) => (loadId === undefined ? [] : { sourceId: id, loadId }))
  const notedSources = sources.filter(({ touchedAt }) => touchedAt < before)
  return [...new Map([...notedSources, ...storedSources].map((ref) => [ref.sourceId, ref])).values()]
}

function reportUnits(
  { storedUnits }: Inventory,
  contentUnits: readonly WarehouseUnit[],
  sourceUnits: readonly WarehouseUnit[],
): CleanReport {
  const sizes = new Map(storedUnits.map(({ id, bytes }) => [id, bytes]))
  const bytes = [...contentUnits, ...sourceUnits].reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0)
  return { contents: contentUnits.length, sources: sourceUnits.length, bytes }
}

/** The retained months cannot change twice a day: searches of the days before the first change may still be running. */
export class KeptDaysNew extends PrintableError {
  constructor({ months, changedAt }: KeptDays) {
    const again = formatTimestamp(addSeconds(changedAt, keptSeconds))
    super(
      `nothing was cleaned: the months to keep were set to ${months} less than a day ago; change them after ${again}`,
    )
  }
}

/**
 * Sets the number of months back for which searches can name a day. Contents that only other days need are removed a
 * day later: a search that named one may still be running.
 *
 * @returns the first day whose contents must stay; empty for all days
 * @throws KeptDaysNew
 */
async function retainDays(
  { catalogue, now }: SwitchDeps,
  before: Date,
  isDry: boolean,
  keepMonths: number | undefined,
): Promise<string> {
  const days = await catalogue.readKeptDays()
  const isNew = days !== undefined && days.changedAt >= before
  const months = keepMonths ?? days?.months ?? 0
  if (isNew && months !== days.months) throw new KeptDaysNew(days)
  if (!isDry && months !== days?.months)
    await catalogue.writeKeptDays({ months, formerFirst: firstKeptDay(days, now()), changedAt: now() })
  return isNew ? days.formerFirst : firstKeptDay(days, before)
}

/** Maximum number of units that are removed at the same time, each with the files of several tables. */
const unitsAtOnce = 8

/**
 * Removes units from the warehouse, except those that are in use again.
 *
 * @param claim deletes a unit's item, on the condition that nothing has begun to use it
 * @returns the units that were removed
 */
async function removeAll(
  units: readonly WarehouseUnit[],
  claim: (unit: WarehouseUnit) => Promise<WriteOutcome>,
  { warehouse }: SwitchDeps,
): Promise<readonly WarehouseUnit[]> {
  const removedUnits: WarehouseUnit[] = []
  await workAtOnce(units, unitsAtOnce, async (unit) => {
    if ((await claim(unit)) === 'superseded') return
    await warehouse.remove([unit])
    removedUnits.push(unit)
  })
  return removedUnits
}

/** Removes tombstones of variants that can no longer be rolled back, and of names without variants. */
async function removeEntries(
  { entries, segments }: Inventory,
  before: Date,
  firstDay: string,
  deps: SwitchDeps,
): Promise<void> {
  const isExpired = (entry: CatalogueEntry) =>
    entry.state.status === 'removed' &&
    (entry.previous === undefined || new Date(entry.previous.replacedAt) < before) &&
    !hasPast(entry, firstDay)
  const retainedPlans = new Set(
    entries.flatMap((entry) =>
      entry.variantOf === undefined || isExpired(entry) ? [] : feeScheduleKey(planOf(entry)),
    ),
  )
  const expiredEntries = new Set(
    entries.filter((entry) => isExpired(entry) && !retainedPlans.has(feeScheduleKey(entry))),
  )
  await workAtOnce(expiredEntries, writesAtOnce, (entry) => deps.catalogue.remove(entry, entry.version))
  const retainedEntries = entries.filter((entry) => !expiredEntries.has(entry))
  await compactIndex(retainedEntries, segments, before, deps)
}
