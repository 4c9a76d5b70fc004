import type { SearchRequest } from './search-request.ts'

/**
 * Advises which filter to narrow when a result is too large: a missing filter, which matches everything, or else the
 * longest list.
 */
export function adviseNarrowing({ npis, billingCodes, feeSchedules }: SearchRequest): string {
  if (npis === undefined) return 'Narrow it by npis: the search names none, which asks for every provider.'
  if (billingCodes === undefined) return 'Narrow it by billing_codes: the search names none, which asks for every code.'
  const lists = [
    { name: 'npis', length: npis.length },
    { name: 'billing_codes', length: billingCodes.length },
    { name: 'fee_schedules', length: feeSchedules.length },
  ]
  const longest = lists.reduce((a, b) => (b.length > a.length ? b : a))
  return `Split the search by ${longest.name}: it names ${longest.length}.`
}
