import { maxListedValues } from '../../contract/limits.ts'
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
