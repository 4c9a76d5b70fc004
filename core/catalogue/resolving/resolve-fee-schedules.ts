import { maxNamed, nameSome } from '../../../schema/phrases.ts'
import type { Failure } from '../../failure.ts'
import type { CatalogueEntry, EntryState } from '../catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey, nameOf, quote } from '../fee-schedule.ts'
import { type Asked, findNotLoaded } from '../load-filter.ts'
import type { Catalogue, Contents } from '../ports.ts'
import { describeMissing } from './missing-fee-schedules.ts'
import { pastDay, type ReadPast, readPast, type Searchable } from './read-past.ts'
import { findActiveVariants, readSearchableNames } from './searchable-names.ts'

export interface ResolveFeeSchedules extends ReadPast {
  readonly contents: Pick<Contents, 'readFilter' | 'readContents'>
}

/**
 * Looks up a request's fee schedules.
 *
 * @returns the content of each fee schedule in the order of the request, or a failure that names every pair that cannot
 *   be searched
 */
export async function resolveFeeSchedules(
  deps: ResolveFeeSchedules,
  request: Asked & { readonly feeSchedules: readonly FeeSchedule[]; readonly asOf?: string },
): Promise<{ readonly contents: readonly string[] } | { readonly failure: Failure }> {
  const { feeSchedules } = request
  const day = pastDay(request, deps.now())
  if (day !== undefined) {
    const { active, failure = await describeNotLoaded(deps.contents, request, active) } = await readPast(
      deps,
      feeSchedules,
      day,
    )
    return failure ? { failure } : { contents: active.map(({ state }) => state.contentId) }
  }
  const entries = byKey(await deps.catalogue.find(feeSchedules))
  const unsearchable = await describeUnsearchable(deps.catalogue, feeSchedules, entries, ['active', 'ambiguous'])
  if (unsearchable !== undefined) return { failure: unsearchable }
  const ambiguous = [...entries.values()].filter(({ state }) => state.status === 'ambiguous')
  if (ambiguous.length > 0) return { failure: await describeAmbiguous(deps.catalogue, ambiguous) }
  const active = listActive(feeSchedules, entries)
  const failure = await describeNotLoaded(deps.contents, request, active)
  return failure ? { failure } : { contents: active.map(({ state }) => state.contentId) }
}

/**
 * Describes the fee schedules of a search that have no entry, or one in a state that searches cannot read.
 *
 * @returns undefined if there are none
 */
export async function describeUnsearchable(
  catalogue: Catalogue,
  feeSchedules: readonly FeeSchedule[],
  entries: ReadonlyMap<string, CatalogueEntry>,
  statuses: readonly EntryState['status'][],
): Promise<Failure | undefined> {
  const missing = feeSchedules.filter((pair) => {
    const entry = entries.get(feeScheduleKey(pair))
    return entry === undefined || !statuses.includes(entry.state.status)
  })
  if (missing.length === 0) return undefined
  return describeMissing((payer) => readSearchableNames(catalogue, payer), missing)
}

export const listActive = (
  feeSchedules: readonly FeeSchedule[],
  entries: ReadonlyMap<string, CatalogueEntry>,
): readonly Searchable[] =>
  feeSchedules.flatMap((pair) => {
    const state = entries.get(feeScheduleKey(pair))?.state
    return state?.status === 'active' ? { pair, state } : []
  })

/**
 * Finds the fee schedules whose filter does not cover a search. They cannot answer it: the result would be incomplete.
 */
export async function findUnloaded(
  contents: Pick<Contents, 'readFilter'>,
  request: Asked,
  active: readonly Searchable[],
): Promise<readonly { readonly names: readonly string[]; readonly fault: string }[]> {
  const faults: { readonly names: readonly string[]; readonly fault: string }[] = []
  for (const [filterId, members] of Map.groupBy(active, ({ state }) => state.filterId)) {
    if (filterId === undefined) continue
    const filter = await contents.readFilter(filterId)
    if (filter === undefined) throw new Error(`the filter ${filterId} of a content is not stored`)
    const fault = findNotLoaded(filter, request)
    if (fault !== undefined) faults.push({ names: members.map(({ pair }) => nameOf(pair)), fault })
  }
  return faults
}

async function describeNotLoaded(...search: Parameters<typeof findUnloaded>): Promise<Failure | undefined> {
  const faults = (await findUnloaded(...search)).map(({ names, fault }) => `${nameSome(names, maxNamed)}: ${fault}`)
  if (faults.length === 0) return undefined
  return {
    word: 'not_loaded',
    sentence: `Only part of these fee schedules was loaded. ${nameSome(faults, maxNamed, '; ')}.`,
  }
}

/** The failure of a search of fee schedules whose contents are outdated. */
export const describeOutdated = (pairs: readonly FeeSchedule[]): Failure => ({
  word: 'not_loaded',
  sentence: `${nameSome(pairs.map(nameOf), maxNamed)} must be loaded again by the operator: an earlier version stored ${pairs.length === 1 ? 'it' : 'them'}.`,
})

async function describeAmbiguous(catalogue: Catalogue, ambiguous: readonly CatalogueEntry[]): Promise<Failure> {
  let remaining = maxNamed
  const parts: string[] = []
  for (const entry of ambiguous.slice(0, maxNamed)) {
    const count = entry.state.status === 'ambiguous' ? entry.state.variants : 0
    const shown =
      remaining === 0 ? [] : (await findActiveVariants(catalogue, entry, remaining)).map(({ plan }) => quote(plan))
    remaining -= shown.length
    const more = count > shown.length ? [`${count - shown.length} more`] : []
    parts.push(`${nameOf(entry)} may be ${[...shown, ...more].join(', ')}`)
  }
  if (ambiguous.length > maxNamed) parts.push(`and ${ambiguous.length - maxNamed} more names`)
  const sentence = `Several plans have the same name but different rates; name the ones you mean: ${parts.join('; ')}.`
  return { word: 'ambiguous_fee_schedule', sentence }
}
