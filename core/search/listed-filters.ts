import { maxListedPlans, maxListedValues } from '../../contract/limits.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { SearchRequest } from './search-request.ts'

/** A filter of a search as lists show it: enough to tell searches apart, whatever its length. */
export interface ListedFilter {
  /** Its name in a request; of the lists of `providers`, their own. */
  readonly name: string
  readonly count: number
  /** The first of its values. */
  readonly first: readonly string[]
}

/** Returns the filters of a request, without its fee schedules, in the order in which titles name them. */
export function listFilters({ billingCodes, npis, tins, providers }: SearchRequest): readonly ListedFilter[] {
  const { states, zips, taxonomies } = providers ?? {}
  const lists = { billing_codes: billingCodes, npis, tins, states, zips, taxonomies }
  return Object.entries(lists).flatMap(([name, values]) =>
    values === undefined ? [] : { name, count: values.length, first: values.slice(0, maxListedValues).map(String) },
  )
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
