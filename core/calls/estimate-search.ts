import { hasCheckDigit } from '../../contract/provider-ids.ts'
import type { EstimateBody, Fault } from '../../contract/search-api.ts'
import { maxNamed, nameSome } from '../../schema/phrases.ts'
import { type Authorize, authorize } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { byKey, type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { openNearest } from '../catalogue/missing-fee-schedules.ts'
import type { Catalogue, Contents } from '../catalogue/ports.ts'
import { pastDay, readPast, type Searchable } from '../catalogue/read-past.ts'
import { describeNoHistory, findUnloaded, listActive } from '../catalogue/resolve-fee-schedules.ts'
import type { Failure } from '../failure.ts'
import type { EstimateUsages } from '../limits/ports.ts'
import { takeClaim } from '../limits/take-claim.ts'
import { type Limits, unused } from '../limits/usage.ts'
import { namePlansOfIds } from '../search/plans-of-ids.ts'
import { type KnownProviders, measureJoinedBytes, requireProviders } from '../search/provider-join.ts'
import { parseSearchRequest, type SearchRequest } from '../search/search-request.ts'
import { measureStatement } from '../search/statement.ts'
import { mapAtOnce } from '../work-at-once.ts'

export interface EstimateSearch extends Authorize, KnownProviders {
  readonly catalogue: Catalogue
  readonly contents: Pick<Contents, 'readSourceRefs' | 'readFilter' | 'readContents' | 'readNppesMonths'>
  readonly estimateUsages: EstimateUsages
  /** Default limits of an organization. */
  readonly limits: Limits
}

/**
 * Maximum number of fee schedules for which the nearest names are looked up, so that a request with many wrong names is
 * cheap.
 */
const maxLookedUp = 10

/** Maximum number of sources that are counted, so that an estimate fits into a function's memory. */
const maxCounted = 100_000

const contentsAtOnce = 20

/**
 * Estimates what a search would read, without starting it. Refuses the same requests as a search, except that a
 * statement that is too long is reported by its size. Valid requests count towards the organization's limits.
 *
 * @param readBody returns the parsed JSON body; called only after authorization
 * @throws Unauthorized, Forbidden, InvalidRequest, RateLimited, and errors of `readBody`
 */
export async function estimateSearch(
  deps: EstimateSearch,
  key: PresentedKey,
  readBody: () => unknown,
): Promise<EstimateBody> {
  const { orgId, limits } = await authorize(deps, key, await deps.access.readAccess(key))
  const search = parseSearchRequest(readBody(), [], deps.now())
  await requireProviders(deps, search)
  await takeClaim(deps.estimateUsages, { orgId, at: deps.now(), limits: { ...deps.limits, ...limits } }, unused)
  const ownRelation = deps.columns !== undefined
  const { request, failure: planIdFailure } = await namePlansOfIds(deps, search, ownRelation)
  const day = ownRelation ? undefined : pastDay(request, deps.now())
  const past = day === undefined ? undefined : await readPast(deps, request.feeSchedules, day)
  const entries = byKey(await deps.catalogue.find(request.feeSchedules))
  const active = past?.active ?? listActive(request.feeSchedules, entries)
  const pastFailure = ownRelation && request.asOf !== undefined ? describeNoHistory : past?.failure
  const failure = planIdFailure ?? pastFailure
  const unloaded = await findUnloaded(deps.contents, request, active)
  const feeSchedules = past
    ? describePast(request.feeSchedules, active)
    : await describeFeeSchedules(deps, request.feeSchedules, entries)
  const wouldFail = failure !== undefined || unloaded.length > 0 || feeSchedules.some(({ exists }) => !exists)
  // The files of an operator's own relation are not counted.
  let size: Pick<EstimateBody, 'files' | 'bytes'> = unknownSize
  if (!ownRelation) size = wouldFail ? nothing : await measureSources(deps.contents, request, active)
  return {
    fee_schedules: feeSchedules,
    ...size,
    statement_bytes: measureStatement(request),
    warnings: [...findWrongNpis(request), ...describeFailure(failure), ...unloaded.map(describeUnloaded)],
  }
}

/** The size of a search of files that are not counted. */
const unknownSize = { files: null, bytes: null }

/** The size of a search that fails before its query. */
const nothing = { files: 0, bytes: 0 }

/** Describes fee schedules on a past day, without suggestions: names of another day are not looked up. */
function describePast(pairs: readonly FeeSchedule[], active: readonly Searchable[]): EstimateBody['fee_schedules'] {
  const activeKeys = new Set(active.map(({ pair }) => feeScheduleKey(pair)))
  return pairs.map((pair) => ({ ...pair, exists: activeKeys.has(feeScheduleKey(pair)), nearest: [] }))
}

async function describeFeeSchedules(
  { catalogue, columns }: EstimateSearch,
  feeSchedules: readonly FeeSchedule[],
  entries: ReadonlyMap<string, CatalogueEntry>,
): Promise<EstimateBody['fee_schedules']> {
  const searchable = columns ? ['active', 'relation'] : ['active']
  const findNearest = openNearest(catalogue, entries)
  const described: EstimateBody['fee_schedules'][number][] = []
  let lookedUp = 0
  for (const { payer, plan } of feeSchedules) {
    const name = feeScheduleKey({ payer, plan })
    const exists = searchable.includes(entries.get(name)?.state.status ?? 'removed')
    const isLookedUp = !exists && lookedUp++ < maxLookedUp
    const nearest = isLookedUp ? await findNearest({ payer, plan }, name) : []
    described.push({ payer, plan, exists, nearest: nearest.map((one) => ({ payer: one.payer, plan: one.plan })) })
  }
  return described
}

/**
 * Counts each source once, even if several fee schedules read it, and the NPPES month. The bytes include the file of
 * each content, which says which fee schedules read which sources; they are null unless all of them are known. Both are
 * null if there may be too many sources to count.
 */
async function measureSources(
  contents: Pick<Contents, 'readSourceRefs' | 'readContents' | 'readNppesMonths'>,
  request: SearchRequest,
  active: readonly Searchable[],
) {
  const counts = new Map(active.map(({ state }) => [state.contentId, state.sourceCount]))
  if (counts.values().reduce((sum, count) => sum + count, 0) > maxCounted) return unknownSize
  const refs = await mapAtOnce([...counts.keys()], contentsAtOnce, (contentId) => contents.readSourceRefs(contentId))
  const sizes = new Map(refs.flat().map(({ sourceId, bytes }) => [sourceId, bytes] as const))
  const summaries = await contents.readContents([...counts.keys()])
  const { active: nppesMonth } = (await contents.readNppesMonths()) ?? {}
  const bytes = sumKnown([
    ...sizes.values(),
    ...summaries.map(({ tableBytes }) => tableBytes),
    ...(nppesMonth === undefined ? [] : [measureJoinedBytes(request, nppesMonth)]),
  ])
  return { files: sizes.size + (nppesMonth === undefined ? 0 : 1), bytes }
}

/** @returns null if one of the sizes is not known */
function sumKnown(sizes: readonly (number | undefined)[]): number | null {
  let sum = 0
  for (const size of sizes) {
    if (size === undefined) return null
    sum += size
  }
  return sum
}

const describeFailure = (failure: Failure | undefined): readonly Fault[] =>
  failure ? [{ path: 'fee_schedules', message: `the search would fail: ${failure.sentence}` }] : []

function findWrongNpis({ npis = [] }: SearchRequest): readonly Fault[] {
  const wrong = npis.filter((npi) => !hasCheckDigit(npi))
  if (wrong.length === 0) return []
  const subject = wrong.length === 1 ? '1 NPI has' : `${wrong.length} NPIs have`
  return [{ path: 'npis', message: `${subject} a wrong check digit: ${nameSome(wrong, maxNamed)}` }]
}

/** A search over a partly loaded fee schedule fails unless it asks only for the loaded part. */
function describeUnloaded({
  names: [first, ...others],
  fault,
}: Awaited<ReturnType<typeof findUnloaded>>[number]): Fault {
  const more = others.length === 0 ? '' : ` and ${others.length} more fee schedule${others.length === 1 ? '' : 's'}`
  return { path: 'fee_schedules', message: `the search would fail: of ${first}${more}, ${fault}` }
}
