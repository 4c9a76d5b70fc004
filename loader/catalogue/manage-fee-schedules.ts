import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { ContentSummary } from '../../core/catalogue/content.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import { normaliseName } from '../../core/catalogue/fee-schedule.ts'
import { listAll } from '../../core/catalogue/list-catalogue.ts'
import { addSeconds } from '../../core/job/timestamp.ts'
import { contentPart, sourcePart } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { ContentDrafts } from './content-drafts.ts'
import type { SwitchDeps, VariantState } from './plan-changes.ts'
import { SwitchContended, settleNames } from './settle-names.ts'
import { switchFeeSchedules } from './switch-fee-schedules.ts'

export type FeeSchedulesDeps = SwitchDeps

/** The operator named a fee schedule that does not exist, or a change that does not apply to it. */
export class FeeScheduleUnknown extends PrintableError {
  override readonly name = 'FeeScheduleUnknown'
}

/**
 * How long superseded and removed contents are kept: longer than any search reads them, and long enough for an operator
 * to notice a bad load and roll back.
 */
export const keptSeconds = 24 * 60 * 60

/** The entry of a name with its variants, or of a single variant. */
export interface NamedEntries {
  readonly entry: CatalogueEntry
  readonly variants: readonly CatalogueEntry[]
}

/**
 * Finds the entry of a fee schedule.
 *
 * @throws FeeScheduleUnknown
 */
export async function findFeeSchedule(
  { payer, plan }: FeeSchedule,
  catalogue: Pick<SwitchDeps['catalogue'], 'find' | 'listVariants'>,
): Promise<NamedEntries> {
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
 */
export async function removeFeeSchedule(
  feeSchedule: FeeSchedule,
  deps: FeeSchedulesDeps,
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
    deps,
  )
}

/**
 * Undoes the last load, removal or rollback of a fee schedule, so that its previous content is active again. For a
 * plan's name, undoes all variants that its last change changed.
 *
 * @returns the entries that changed
 * @throws FeeScheduleUnknown if there is nothing to go back to, or its files have been deleted
 * @throws SwitchContended
 */
export async function rollBackFeeSchedule(
  feeSchedule: FeeSchedule,
  deps: FeeSchedulesDeps,
): Promise<readonly CatalogueEntry[]> {
  const { entry, variants } = await findFeeSchedule(feeSchedule, deps.catalogue)
  const changed = variants.filter(({ previous }) => previous !== undefined)
  const [last] = changed.toSorted((a, b) => ((a.previous?.replacedAt ?? '') < (b.previous?.replacedAt ?? '') ? 1 : -1))
  const together = changed.filter(({ changedBy }) => changedBy === last?.changedBy)
  if (together.every(({ previous }) => previous?.state.status !== 'active') && together.every(isActive))
    throw new FeeScheduleUnknown(`there is nothing to go back to before the first load of ${nameOf(entry)}`)
  const states: VariantState[] = []
  for (const variant of together) {
    const state = variant.previous?.state
    if (state === undefined) continue
    // Keeps the content for another day. If `clean` has already claimed it, the rollback is refused.
    const gone =
      state.status === 'active' && (await deps.contents.retireContent(state.contentId, deps.now())) === 'superseded'
    if (gone) {
      throw new FeeScheduleUnknown(`the previous content of ${nameOf(variant)} has been deleted: load its files again`)
    }
    states.push({ entry: variant, state })
  }
  return changeVariants(entry, states, deps)
}

const isActive = ({ state }: CatalogueEntry) => state.status === 'active'

/** Changes variants, then the derived name, also if an earlier change was interrupted before it got to the name. */
async function changeVariants(
  { payer, plan, variantOf = plan }: CatalogueEntry,
  states: readonly VariantState[],
  deps: FeeSchedulesDeps,
): Promise<readonly CatalogueEntry[]> {
  const loadId = deps.newId()
  if (states.length === 0) return settleNames([{ payer, plan: variantOf }], new ContentDrafts(deps.newId), loadId, deps)
  const { switched, contended } = await switchFeeSchedules({ loadId, plans: [], sources: new Map(), states }, deps)
  const [first] = contended
  if (first !== undefined) throw new SwitchContended(first)
  return switched
}

/** What `cleanWarehouse` removed. */
export interface CleanReport {
  readonly sources: number
  readonly contents: number
}

/**
 * Removes contents that no entry has pointed to for a day, sources without a content, and leftovers of killed loads.
 * Everything that determines what is in use is read before anything is removed; the removals' conditions protect what a
 * concurrent load starts to use.
 */
export async function cleanWarehouse(deps: FeeSchedulesDeps): Promise<CleanReport> {
  const { warehouse, catalogue, contents, now } = deps
  const before = addSeconds(now(), -keptSeconds)
  // Listed first, so that files of a concurrent load are not candidates for removal.
  const stored = await warehouse.list()
  const known = await Array.fromAsync(contents.listSources())
  const openLoads = (await contents.listOpenLoads()).filter(({ touchedAt }) => touchedAt >= before)
  const summaries = await Array.fromAsync(contents.listContents())
  const entries = await listAll(catalogue)

  const open = new Set(openLoads.map(({ loadId }) => loadId))
  // Superseded contents were retired when they were replaced, so only active entries need checking.
  const used = new Set(entries.flatMap(({ state }) => (state.status === 'active' ? state.contentId : [])))
  const isKept = ({ contentId, loadId, createdAt, retiredAt = createdAt }: ContentSummary) =>
    used.has(contentId) || open.has(loadId) || retiredAt >= before || createdAt >= before
  const kept = new Set(summaries.filter(isKept).map(({ contentId }) => contentId))
  const keptSources = new Set(openLoads.flatMap(({ pinned }) => pinned))
  for (const contentId of kept)
    for (const { sourceId } of await contents.readSourceRefs(contentId)) keptSources.add(sourceId)

  const isOld = ({ touchedAt }: { readonly touchedAt: Date }) => touchedAt < before
  const oldContents = new Set(summaries.map(({ contentId }) => contentId).filter((id) => !kept.has(id)))
  for (const part of stored.filter(isOld))
    if (part.kind === 'content' && !kept.has(part.contentId)) oldContents.add(part.contentId)
  const oldSources = new Map([
    ...known.filter(isOld).map((source) => [source.sourceId, source.loadId] as const),
    ...stored.filter(isOld).flatMap((part) => (part.kind === 'source' ? [[part.sourceId, part.loadId] as const] : [])),
  ])

  const removed = { sources: 0, contents: 0 }
  for (const contentId of oldContents) {
    if ((await contents.removeContent(contentId, before)) === 'superseded') continue
    await warehouse.remove([contentPart(contentId)])
    removed.contents += 1
  }
  for (const [sourceId, loadId] of oldSources) {
    if (keptSources.has(sourceId) || open.has(loadId)) continue
    if ((await contents.removeSource(sourceId, before)) === 'superseded') continue
    await warehouse.remove([sourcePart({ loadId, sourceId })])
    removed.sources += 1
  }
  await removeTombstones(entries, before, deps)
  for (const { loadId, touchedAt } of await contents.listOpenLoads())
    if (touchedAt < before) await contents.closeLoad(loadId)
  await warehouse.cleanStaging(before)
  return removed
}

/** Removed variants that can no longer be rolled back, and names without variants. */
async function removeTombstones(entries: readonly CatalogueEntry[], before: Date, { catalogue }: FeeSchedulesDeps) {
  const isGone = ({ state, previous }: CatalogueEntry) =>
    state.status === 'removed' && (previous === undefined || new Date(previous.replacedAt) < before)
  const keyOf = ({ payer, plan }: FeeSchedule) => JSON.stringify([payer, plan])
  const living = new Set(
    entries.flatMap((entry) =>
      entry.variantOf === undefined || isGone(entry) ? [] : keyOf({ payer: entry.payer, plan: entry.variantOf }),
    ),
  )
  for (const entry of entries)
    if (isGone(entry) && !living.has(keyOf(entry))) await catalogue.remove(entry, entry.version)
}

const nameOf = ({ payer, plan }: FeeSchedule) => `${payer} / ${plan}`
