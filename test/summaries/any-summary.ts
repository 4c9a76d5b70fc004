import fc from 'fast-check'
import {
  type FirstRows,
  type SummaryRequest,
  summaryDimensions,
  summaryOrders,
  summaryWeights,
} from '../../contract/summaries.ts'
import type { SearchRequest } from '../../core/search/search-request.ts'
import {
  variedCodes,
  variedContents,
  variedMonth,
  variedNetworks,
  variedNpis,
  variedPlans,
  variedTins,
} from './varied-warehouse.ts'

const some = <Item>(items: readonly Item[]) => fc.subarray([...items], { minLength: 1 })

export const anySummary: fc.Arbitrary<SummaryRequest> = fc.record(
  {
    weight: fc.constantFrom(...summaryWeights),
    by: fc.subarray([...summaryDimensions]),
    includeDoubtful: fc.constant(true),
    countProviders: fc.constant(true),
  },
  { requiredKeys: ['weight', 'by'], noNullPrototype: true },
)

/** The first rows of a summary. */
export const anyFirstRows: fc.Arbitrary<FirstRows> = fc.record(
  { order: fc.constantFrom(...summaryOrders), limit: fc.integer({ min: 1, max: 6 }) },
  { noNullPrototype: true },
)

/** Searches for rows of the varied warehouse. */
export const anyVariedRequest: fc.Arbitrary<SearchRequest> = fc.record(
  {
    npis: some(variedNpis),
    tins: some(variedTins),
    billingCodes: some(variedCodes),
    networks: some(variedNetworks),
    providers: fc.constantFrom({ states: ['TX'] }, { zips: ['97205'] }),
    feeSchedules: some(variedPlans),
  },
  { requiredKeys: ['feeSchedules'], noNullPrototype: true },
)

/** Returns what a search of the varied warehouse reads. */
export const scopeOfVaried = ({ feeSchedules }: SearchRequest) => ({
  contents: feeSchedules.map(({ plan }) => variedContents[plan === variedPlans[0].plan ? 0 : 1]),
  nppesMonthId: variedMonth,
})
