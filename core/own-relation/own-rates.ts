import { providerLists } from '../../contract/provider-ids.ts'
import { byKey } from '../catalogue/fee-schedule.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { describeUnsearchable } from '../catalogue/resolve-fee-schedules.ts'
import type { Failure } from '../failure.ts'
import { describeFeeSchedules } from '../rates/describe-fee-schedules.ts'
import { type Choice, type ProviderSearches, type Rates, type RatesEstimate, unknownSize } from '../rates/rates.ts'
import { namePlansOfIds, type Searching } from '../search/plans-of-ids.ts'
import type { SearchRequest } from '../search/search-request.ts'
import type { Clock } from '../time.ts'

/** Dependencies of a search over an operator's own relation. */
export interface OwnRates {
  readonly catalogue: Catalogue
  readonly now: Clock
}

/** Entries of the catalogue that the relation or an earlier load has written. The relation has no history. */
export const ownRates: Searching = { statuses: ['active', 'ambiguous', 'relation'], hasHistory: false }

/**
 * The rates of an operator's own relation, which has no contents, no sources and no NPPES month (docs/own-relation.md).
 *
 * @param columns that the relation has
 */
export const openOwnRates = (deps: OwnRates, columns: readonly string[]): Rates => ({
  ...openOwnProviders(columns),
  choose: (request) => choose(deps, columns, request),
  readScope: async () => ({ columns }),
  estimate: (request) => estimate(deps, request),
})

/** Providers are those that the relation describes in columns of its own. */
export const openOwnProviders = (columns: readonly string[]): ProviderSearches => ({
  findProvidersFault: async (request) => findProvidersFault(request, columns),
})

function findProvidersFault(
  { providers }: Pick<SearchRequest, 'providers'>,
  columns: readonly string[],
): string | undefined {
  if (providers === undefined) return undefined
  const requestedColumns = providerLists.filter(({ name }) => providers[name] !== undefined).map(({ column }) => column)
  const missing = requestedColumns.filter((column) => !columns.includes(column))
  return missing.length === 0
    ? undefined
    : `cannot be searched by, because the operator's own relation has no column ${missing.join(', ')}: leave it out`
}

/** The failure of a search with `as_of`. */
const noHistory: Failure = {
  word: 'not_kept',
  sentence: "This service searches its operator's own relation, which has no history: leave out `as_of`.",
}

async function choose(
  deps: OwnRates,
  columns: readonly string[],
  request: SearchRequest,
): Promise<Choice | { readonly failure: Failure }> {
  const { request: pairRequest, failure: planIdFailure } = await namePlansOfIds(deps, request, ownRates)
  if (planIdFailure !== undefined) return { failure: planIdFailure }
  const fault = findProvidersFault(request, columns)
  if (fault !== undefined) return { failure: { word: 'not_loaded', sentence: `\`providers\` ${fault}.` } }
  if (request.asOf !== undefined) return { failure: noHistory }
  const { feeSchedules } = pairRequest
  const entries = byKey(await deps.catalogue.find(feeSchedules))
  const failure = await describeUnsearchable(deps.catalogue, feeSchedules, entries, ownRates.statuses)
  return failure ? { failure } : { contents: [], ...(request.planIds && { feeSchedules }) }
}

/** The files of the relation are not counted. */
async function estimate(deps: OwnRates, search: SearchRequest): Promise<RatesEstimate> {
  const { request, failure: planIdFailure } = await namePlansOfIds(deps, search, ownRates)
  const entries = byKey(await deps.catalogue.find(request.feeSchedules))
  const feeSchedules = await describeFeeSchedules(deps.catalogue, request.feeSchedules, entries, ownRates.statuses)
  const failure = planIdFailure ?? (request.asOf === undefined ? undefined : noHistory)
  return { request, feeSchedules, size: unknownSize, failure, unloaded: [] }
}
