import { type FilterLists, filterList, shownFilters, valuesOf } from '../../contract/filters.ts'
import { maxListedPlans, maxListedValues } from '../../contract/limits.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { countNamed, type SearchRequest } from './search-request.ts'

/** A filter of a search as lists show it: enough to tell searches apart, whatever its length. */
export interface ListedFilter {
  /** Its name in a request; of the lists of `providers`, their own. */
  readonly name: string
  readonly count: number
  /** The first of its values. */
  readonly first: readonly string[]
}

/** Returns the filters of a request, without its fee schedules, in the order in which titles name them. */
export function listFilters(request: FilterLists): readonly ListedFilter[] {
  return shownFilters.flatMap((filter) => {
    const values = valuesOf(request, filter)
    if (values === undefined) return []
    return { name: filter.name, count: values.length, first: values.slice(0, maxListedValues).map(String) }
  })
}

/** A fee schedule that a request names, or all fee schedules of a plan id. */
export type NamedPlans = FeeSchedule | { readonly planId: string }

/** Returns the first fee schedules and plan ids that a request names, as many as lists show. */
export function listNamedPlans({ feeSchedules, planIds = [] }: SearchRequest): readonly [NamedPlans, ...NamedPlans[]] {
  const allNamed = [...feeSchedules, ...planIds.map((planId) => ({ planId }))]
  const [first, ...next] = allNamed.slice(0, maxListedPlans)
  if (first === undefined) throw new TypeError('a request names no fee schedule')
  return [first, ...next]
}

/**
 * Advises which filter to narrow when a search is too large: a missing one, because it matches everything, or else the
 * longest list. Says so if there is none.
 */
export function adviseNarrowing(request: SearchRequest): string {
  const { npis, tins, billingCodes } = request
  const hasNumbers = npis !== undefined || tins !== undefined
  const filters = filterList.filter((filter) => filter.kind !== 'code' && valuesOf(request, filter) !== undefined)
  if (filters.length === 0) return 'Narrow it by npis: the search names none, which asks for every provider.'
  if (billingCodes === undefined) return 'Narrow it by billing_codes: the search names none, which asks for every code.'
  // To name fewer places or specialties narrows less than to name the providers there.
  const lists = [
    ...filterList.flatMap((filter) => {
      return 'parent' in filter ? [] : { name: filter.name, length: valuesOf(request, filter)?.length ?? 0 }
    }),
    { name: 'fee_schedules', length: countNamed(request) },
  ]
  const longest = lists.reduce((a, b) => (b.length > a.length ? b : a))
  if (longest.length > 1) return `Split the search by ${longest.name}: it names ${longest.length}.`
  const names = filters.map(({ name }) => name).join(', ')
  if (!hasNumbers) return `Narrow it by npis: the search names only ${names}, by which many providers match.`
  return 'It cannot be narrowed, because it names one value in each list: contact support and quote the job id.'
}
