import { type Filter, filterList, providerLists, requestField, valuesOf } from '../../contract/filters.ts'
import type { Fault } from '../../contract/search-api.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { dimensionColumns, weightColumns } from '../../schema/summary/definition.ts'
import { byKey } from '../catalogue/fee-schedule.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { describeUnsearchable } from '../catalogue/resolving/resolve-fee-schedules.ts'
import type { Failure } from '../failure.ts'
import { describeFeeSchedules } from '../rates/describe-fee-schedules.ts'
import {
  type Choice,
  describeUnserved,
  type Rates,
  type RatesEstimate,
  type ServedPart,
  type ServedSearches,
  unknownSize,
} from '../rates/rates.ts'
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
  ...openOwnServed(columns),
  choose: (request) => choose(deps, columns, request),
  readScope: async () => ({ scope: { columns }, hasRows: false }),
  estimate: (request) => estimate(deps, columns, request),
})

/** Providers are those that the relation describes in columns of its own. */
export const openOwnServed = (columns: readonly string[]): ServedSearches => ({
  findUnserved: async (request) => findUnserved(request, columns),
  listProviderLists: async () => providerLists.filter(({ column }) => columns.includes(column)).map(({ name }) => name),
})

function findUnserved(request: ServedPart, columns: readonly string[]): readonly Fault[] {
  const { summary } = request
  // A relation without a required column is refused before (`check-relation.ts`).
  const isOptional = ({ column }: Filter) => ratesColumns.some(({ name, required }) => name === column && !required)
  const optionalFilters = filterList.filter((filter) => isOptional(filter) && valuesOf(request, filter) !== undefined)
  const fields = Map.groupBy(optionalFilters, requestField)
  const lists = [...fields].flatMap(([path, filters]) => {
    const filterColumns = filters.map(({ column }) => column)
    const because = lackingColumns(filterColumns, columns)
    return because === undefined ? [] : [{ path, message: `cannot be searched by, ${because}` }]
  })
  const weight = lackingColumns(summary ? weightColumns[summary.weight] : [], columns)
  const dimensions = (summary?.by ?? []).flatMap((dimension) => {
    const because = lackingColumns(dimensionColumns[dimension], columns)
    return because === undefined ? [] : [{ path: 'summary.by', message: `cannot have ${dimension}, ${because}` }]
  })
  return [
    ...lists,
    ...(weight === undefined ? [] : [{ path: 'summary.weight', message: `cannot be ${summary?.weight}, ${weight}` }]),
    ...dimensions,
  ]
}

/** Returns what a summary cannot do because the relation lacks a column. */
function findLacking({ summary }: ServedPart, columns: readonly string[]): readonly Fault[] {
  if (summary === undefined) return []
  const flags = lackingColumn('flags', columns)
  const prices = lackingColumn('price_id', columns)
  return [
    ...(flags ? [{ path: 'summary', message: `cannot leave out doubtful prices, ${flags}: all count` }] : []),
    ...(prices ? [{ path: 'summary', message: `cannot count prices, ${prices}` }] : []),
  ]
}

function lackingColumns(needed: readonly string[], columns: readonly string[]): string | undefined {
  const missing = needed.filter((column) => !columns.includes(column))
  return missing.length === 0 ? undefined : `${becauseOf(missing)}: leave it out`
}

const lackingColumn = (name: string, columns: readonly string[]) =>
  columns.includes(name) ? undefined : becauseOf([name])

const becauseOf = (missing: readonly string[]) =>
  `because the operator's own relation has no column ${missing.join(', ')}`

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
  const unserved = describeUnserved(findUnserved(request, columns))
  if (unserved !== undefined) return { failure: unserved }
  if (request.asOf !== undefined) return { failure: noHistory }
  const { feeSchedules } = pairRequest
  const entries = byKey(await deps.catalogue.find(feeSchedules))
  const failure = await describeUnsearchable(deps.catalogue, feeSchedules, entries, ownRates.statuses)
  return failure ? { failure } : { contents: [], ...(request.planIds && { feeSchedules }) }
}

/** The files of the relation are not counted. */
async function estimate(deps: OwnRates, columns: readonly string[], search: SearchRequest): Promise<RatesEstimate> {
  const { request, failure: planIdFailure } = await namePlansOfIds(deps, search, ownRates)
  const entries = byKey(await deps.catalogue.find(request.feeSchedules))
  const feeSchedules = await describeFeeSchedules(deps.catalogue, request.feeSchedules, entries, ownRates.statuses)
  const failure = planIdFailure ?? (request.asOf === undefined ? undefined : noHistory)
  return {
    request,
    feeSchedules,
    size: { ...unknownSize, own_relation: true },
    failure,
    unloaded: [],
    lacking: findLacking(request, columns),
  }
}
