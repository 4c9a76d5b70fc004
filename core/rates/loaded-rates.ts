import { providerLists } from '../../contract/filters.ts'
import type { Fault } from '../../contract/search-api.ts'
import { at } from '../../schema/at.ts'
import type { ContentSource, ContentSummary } from '../catalogue/content.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import type { Catalogue, Contents } from '../catalogue/ports.ts'
import { pastDay, readPast, type Searchable } from '../catalogue/resolving/read-past.ts'
import {
  describeOutdated,
  findUnloaded,
  listActive,
  resolveFeeSchedules,
} from '../catalogue/resolving/resolve-fee-schedules.ts'
import type { Failure } from '../failure.ts'
import { type ChosenNppesMonth, findNppesMonth } from '../nppes/nppes-months.ts'
import { sumJoinSize } from '../search/join/join-order.ts'
import { namePlansOfIds, type Searching } from '../search/plans-of-ids.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { listProviderDimensions, readsProviders } from '../search/summary/summary-inputs.ts'
import type { Clock } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import { describeFeeSchedules } from './describe-fee-schedules.ts'
import { measureSources } from './measure-sources.ts'
import {
  type Choice,
  describeUnserved,
  type Rates,
  type RatesEstimate,
  type ReadScope,
  type ServedPart,
  type ServedSearches,
} from './rates.ts'

/** Dependencies of a search over loaded rates. */
export interface LoadedRates {
  readonly catalogue: Catalogue
  readonly contents: Pick<Contents, 'readContents' | 'readFilter' | 'readNppesMonths' | 'readSourceRefs'>
  readonly now: Clock
}

/** Entries of the catalogue that have a content, and the days before this one. */
export const loadedRates: Searching = { statuses: ['active'], hasHistory: true }

/** The rates that loads have made active: each fee schedule has a content, and contents name their sources. */
export const openLoadedRates = (deps: LoadedRates): Rates => ({
  ...openLoadedServed(deps),
  choose: (request) => choose(deps, request),
  readScope: (choice, feeSchedules, location) => readScope(deps, choice, feeSchedules, location),
  estimate: (request) => estimate(deps, request),
})

/** Providers are those of the active NPPES month. */
export const openLoadedServed = ({
  contents,
}: {
  readonly contents: Pick<Contents, 'readNppesMonths'>
}): ServedSearches => ({
  async findUnserved(request) {
    if (findUnserved(request, undefined).length === 0) return []
    return findUnserved(request, (await contents.readNppesMonths())?.active)
  },
  async listProviderLists() {
    const isLoaded = (await contents.readNppesMonths())?.active !== undefined
    return isLoaded ? providerLists.map(({ name }) => name) : []
  },
})

function findUnserved({ providers, summary }: ServedPart, nppesMonth: ChosenNppesMonth | undefined): readonly Fault[] {
  if (nppesMonth !== undefined) return []
  const advice = 'before NPPES is loaded: leave it out, or ask the operator to run `npm run nppes -- load`'
  const byProviders = listProviderDimensions(summary)
  return [
    ...(providers ? [{ path: 'providers', message: `cannot be searched by ${advice}` }] : []),
    ...byProviders.map((dimension) => ({ path: 'summary.by', message: `cannot have ${dimension} ${advice}` })),
  ]
}

async function choose(deps: LoadedRates, request: SearchRequest): Promise<Choice | { readonly failure: Failure }> {
  const { request: pairRequest, failure } = await namePlansOfIds(deps, request, loadedRates)
  if (failure !== undefined) return { failure }
  const active = (await deps.contents.readNppesMonths())?.active
  const unserved = describeUnserved(findUnserved(request, active))
  if (unserved !== undefined) return { failure: unserved }
  const resolution = await resolveFeeSchedules(deps, pairRequest)
  if ('failure' in resolution) return resolution
  return {
    contents: resolution.contents,
    ...(request.planIds && { feeSchedules: pairRequest.feeSchedules }),
    ...(active &&
      readsProviders(request) && { nppesMonth: { nppesMonthId: active.nppesMonthId, month: active.month } }),
  }
}

/** @returns a failure if an earlier version wrote a content: its rows would be missing silently */
async function readScope(
  { contents }: LoadedRates,
  { contents: ids, nppesMonth }: Choice,
  feeSchedules: readonly FeeSchedule[],
  location: string,
): Promise<ReadScope | { readonly failure: Failure }> {
  const distinct = [...new Set(ids)]
  const summaries = await contents.readContents(distinct)
  if (summaries.length < distinct.length) throw new ContentGone()
  const outdated = new Set(summaries.flatMap(({ contentId, isOutdated }) => (isOutdated ? contentId : [])))
  if (outdated.size > 0)
    return { failure: describeOutdated(feeSchedules.filter((_, index) => outdated.has(at(ids, index)))) }
  if (nppesMonth && findNppesMonth(await contents.readNppesMonths(), nppesMonth) === undefined) throw new ContentGone()
  const files = { location, sources: await readSources(contents, summaries) }
  return {
    scope: {
      contents: ids,
      files,
      joinSize: sumJoinSize(summaries, ids),
      ...(nppesMonth && { nppesMonthId: nppesMonth.nppesMonthId }),
    },
    hasRows: summaries.some(({ figures }) => figures.rates > 0),
  }
}

/**
 * Maximum number of sources that a search names, counted once for each set of sources. More need more memory than
 * start-query has: lists of 30,000 took 55 MB, of 50,000 twice as much (docs/measured/requests-of-a-search.md). A
 * larger search reads the files of all plans, and drops rows by their sources.
 */
export const maxReadSources = 30_000

const contentsAtOnce = 8

/**
 * Reads the sources of contents, each once, sorted by id. Many plans often share their sources, which are then read
 * once.
 *
 * @returns no source if there may be more than `maxReadSources`
 */
async function readSources(
  contents: Pick<Contents, 'readSourceRefs'>,
  summaries: readonly ContentSummary[],
): Promise<readonly ContentSource[]> {
  const sets = [...new Map(summaries.map((summary) => [summary.sourcesKey, summary])).values()]
  if (sets.reduce((sum, { sourceCount }) => sum + sourceCount, 0) > maxReadSources) return []
  const sources = new Map<string, ContentSource>()
  await workAtOnce(sets, contentsAtOnce, async ({ contentId }) => {
    for (const source of await contents.readSourceRefs(contentId)) sources.set(source.sourceId, source)
  })
  return [...sources.values()].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
}

/** A job's content or NPPES month no longer exists. */
class ContentGone extends Error {
  override readonly name = 'ContentGone'
  constructor() {
    super('a content or NPPES month of the job has been removed: the job waited longer than replaced data is kept')
  }
}

async function estimate(deps: LoadedRates, search: SearchRequest): Promise<RatesEstimate> {
  const { request, failure: planIdFailure } = await namePlansOfIds(deps, search, loadedRates)
  const day = pastDay(request, deps.now())
  const past = day === undefined ? undefined : await readPast(deps, request.feeSchedules, day)
  const entries = byKey(await deps.catalogue.find(request.feeSchedules))
  const active = past?.active ?? listActive(request.feeSchedules, entries)
  const failure = planIdFailure ?? past?.failure
  const unloaded = await findUnloaded(deps.contents, request, active)
  const feeSchedules = past
    ? describePast(request.feeSchedules, active)
    : await describeFeeSchedules(deps.catalogue, request.feeSchedules, entries, loadedRates.statuses)
  const wouldFail = failure !== undefined || unloaded.length > 0 || feeSchedules.some(({ exists }) => !exists)
  const size = wouldFail ? nothing : await measureSources(deps.contents, request, active)
  return { request, feeSchedules, size, failure, unloaded }
}

/** The size of a search that fails before its query. */
const nothing = { files: 0, bytes: 0 }

/** Describes fee schedules on a past day, without suggestions: names of another day are not looked up. */
function describePast(pairs: readonly FeeSchedule[], active: readonly Searchable[]): RatesEstimate['feeSchedules'] {
  const activeKeys = new Set(active.map(({ pair }) => feeScheduleKey(pair)))
  return pairs.map((pair) => ({ ...pair, exists: activeKeys.has(feeScheduleKey(pair)), nearest: [] }))
}
