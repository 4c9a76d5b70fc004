import { contentUnit, sourceUnit, type WarehouseUnit } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import type { ContentSummary } from '../catalogue/content.ts'
import { feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { compactIndex } from '../catalogue/finding/word-index.ts'
import { firstKeptDay, hasPast, listPastContents } from '../catalogue/history.ts'
import { listAll } from '../catalogue/list-catalogue.ts'
import type { KeptDays } from '../catalogue/ports.ts'
import type { LoadRecords } from '../loads/ports.ts'
import { addSeconds, formatTimestamp } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import { type SwitchDeps, writesAtOnce } from './plan-changes.ts'
import { planOf } from './plan-entries.ts'
import { publishCurrent } from './publish-current.ts'

/**
 * How long superseded and removed contents are kept: longer than any search reads them, and long enough for an operator
 * to notice a bad load and roll back.
 */
export const keptSeconds = 24 * 60 * 60

interface CleanDeps extends SwitchDeps {
  readonly records: Pick<LoadRecords, 'listOpen' | 'unpin'>
}

/** What `cleanWarehouse` removed, or would remove. */
export interface CleanReport {
  readonly sources: number
  readonly contents: number
  /** Of their files. */
  readonly bytes: number
}

/**
 * Removes contents that no entry has pointed to for a day, sources without a content, and leftovers of killed loads.
 * Everything that determines what is in use is read before anything is removed; the removals' conditions protect what a
 * concurrent load starts to use.
 *
 * @param isDry removes nothing
 * @param keepMonths how many months back searches can name a day @default - as at the last clean, at first 0
 * @throws KeptDaysNew
 * @example
 * const { sources, contents, bytes } = await cleanWarehouse(deps)
 */
export async function cleanWarehouse(deps: CleanDeps, isDry = false, keepMonths?: number): Promise<CleanReport> {
  const { warehouse, catalogue, contents, records, now } = deps
  const before = addSeconds(now(), -keptSeconds)
  const keptFrom = await keepDays(deps, before, isDry, keepMonths)
  // Listed first, so that files of a concurrent load are not candidates for removal.
  const stored = await warehouse.list()
  const known = await Array.fromAsync(contents.listSources())
  const unended = await records.listOpen()
  const openLoads = unended.filter(({ touchedAt }) => touchedAt >= before)
  const summaries = await Array.fromAsync(contents.listContents())
  const segments = await catalogue.listSegments()
  const entries = await listAll(catalogue)

  const open = new Set(openLoads.map(({ loadId }) => loadId))
  // Superseded contents were retired when they were replaced, so only entries need checking.
  const used = new Set(
    entries.flatMap((entry) => [
      ...(entry.state.status === 'active' ? [entry.state.contentId] : []),
      ...listPastContents(entry, keptFrom),
    ]),
  )
  const isKept = ({ contentId, loadId, createdAt, retiredAt = createdAt }: ContentSummary) =>
    used.has(contentId) || open.has(loadId) || retiredAt >= before || createdAt >= before
  const kept = new Set(summaries.filter(isKept).map(({ contentId }) => contentId))
  const keptSources = new Set(openLoads.flatMap(({ pinned }) => pinned))
  const keepSources = (contentIds: Iterable<string>) =>
    workAtOnce(contentIds, writesAtOnce, async (contentId) => {
      for (const { sourceId } of await contents.readSourceRefs(contentId)) keptSources.add(sourceId)
    })
  await keepSources(kept)

  const isOld = ({ touchedAt }: { readonly touchedAt: Date }) => touchedAt < before
  const oldStored = stored.filter(isOld)
  const contentIds = oldStored.flatMap(({ id, loadId }) => (loadId === undefined ? id : []))
  const oldContents = [...new Set([...summaries.map(({ contentId }) => contentId), ...contentIds])]
    .filter((contentId) => !kept.has(contentId))
    .map(contentUnit)
  const refs = oldStored.flatMap(({ id, loadId }) => (loadId === undefined ? [] : { sourceId: id, loadId }))
  const oldSources = [...new Map([...known.filter(isOld), ...refs].map((ref) => [ref.sourceId, ref])).values()]
  const listUnused = () =>
    oldSources.filter(({ sourceId, loadId }) => !keptSources.has(sourceId) && !open.has(loadId)).map(sourceUnit)

  const sizes = new Map(stored.map(({ id, bytes }) => [id, bytes]))
  const report = (ofContents: readonly WarehouseUnit[], ofSources: readonly WarehouseUnit[]): CleanReport => {
    const bytes = [...ofContents, ...ofSources].reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0)
    return { contents: ofContents.length, sources: ofSources.length, bytes }
  }
  if (isDry) return report(oldContents, listUnused())
  // So that `rates_current` names nothing that is removed, even if an operation was killed before it wrote it.
  await publishCurrent(deps)
  const ofContents = await removeAll(oldContents, ({ id }) => contents.removeContent(id, before), deps)
  // Contents that a rollback has begun to use meanwhile need their sources.
  await keepSources(oldContents.flatMap((part) => (ofContents.includes(part) ? [] : part.id)))
  const ofSources = await removeAll(listUnused(), ({ id }) => contents.removeSource(id, before), deps)
  const gone = new Set(await removeTombstones(entries, before, keptFrom, deps))
  await compactIndex(
    entries.filter((entry) => !gone.has(entry)),
    segments,
    before,
    deps,
  )
  for (const { loadId, touchedAt, pinned } of unended)
    if (touchedAt < before && pinned.length > 0) await records.unpin(loadId)
  await warehouse.cleanWorkspaces(before)
  return report(ofContents, ofSources)
}

/** What searches of the days before the last change read must stay for a day. */
export class KeptDaysNew extends PrintableError {
  constructor({ months, changedAt }: KeptDays) {
    const again = formatTimestamp(addSeconds(changedAt, keptSeconds))
    super(
      `nothing was cleaned: the months to keep were set to ${months} less than a day ago; change them after ${again}`,
    )
  }
}

/**
 * Sets for how many months back searches can name a day. What only other days need is removed a day later: a search that
 * named one may still be running.
 *
 * @returns the first day whose contents must stay; empty for all days
 * @throws KeptDaysNew
 */
async function keepDays(
  { catalogue, now }: SwitchDeps,
  before: Date,
  isDry: boolean,
  asked: number | undefined,
): Promise<string> {
  const kept = await catalogue.readKeptDays()
  const isNew = kept !== undefined && kept.changedAt >= before
  const months = asked ?? kept?.months ?? 0
  if (isNew && months !== kept.months) throw new KeptDaysNew(kept)
  if (!isDry && months !== kept?.months)
    await catalogue.writeKeptDays({ months, formerFirst: firstKeptDay(kept, now()), changedAt: now() })
  return isNew ? kept.formerFirst : firstKeptDay(kept, before)
}

/** Maximum number of parts that are removed at the same time, each with the files of some tables. */
const partsAtOnce = 8

/**
 * @param claim deletes a part's item, on the condition that nothing has begun to use it
 * @returns what was removed
 */
async function removeAll(
  parts: readonly WarehouseUnit[],
  claim: (part: WarehouseUnit) => Promise<WriteOutcome>,
  { warehouse }: SwitchDeps,
): Promise<readonly WarehouseUnit[]> {
  const removed: WarehouseUnit[] = []
  await workAtOnce(parts, partsAtOnce, async (part) => {
    if ((await claim(part)) === 'superseded') return
    await warehouse.remove([part])
    removed.push(part)
  })
  return removed
}

/** @returns removed variants that can no longer be rolled back, and names without variants */
async function removeTombstones(
  entries: readonly CatalogueEntry[],
  before: Date,
  keptFrom: string,
  { catalogue }: SwitchDeps,
) {
  const isGone = (entry: CatalogueEntry) =>
    entry.state.status === 'removed' &&
    (entry.previous === undefined || new Date(entry.previous.replacedAt) < before) &&
    !hasPast(entry, keptFrom)
  const living = new Set(
    entries.flatMap((entry) => (entry.variantOf === undefined || isGone(entry) ? [] : feeScheduleKey(planOf(entry)))),
  )
  const gone = entries.filter((entry) => isGone(entry) && !living.has(feeScheduleKey(entry)))
  await workAtOnce(gone, writesAtOnce, (entry) => catalogue.remove(entry, entry.version))
  return gone
}
