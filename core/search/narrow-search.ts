import { countNamed, type SearchRequest } from './search-request.ts'

/**
 * Advises which filter to narrow when a search is too large: a missing one, because it matches everything, or else the
 * longest list. Says so if there is none.
 */
export function adviseNarrowing(request: SearchRequest): string {
  const { npis, tins, billingCodes, providers } = request
  const hasNumbers = npis !== undefined || tins !== undefined
  if (!hasNumbers && providers === undefined)
    return 'Narrow it by npis: the search names none, which asks for every provider.'
  if (billingCodes === undefined) return 'Narrow it by billing_codes: the search names none, which asks for every code.'
  const lists = [
    { name: 'npis', length: npis?.length ?? 0 },
    { name: 'tins', length: tins?.length ?? 0 },
    { name: 'billing_codes', length: billingCodes.length },
    { name: 'fee_schedules', length: countNamed(request) },
  ]
  const longest = lists.reduce((a, b) => (b.length > a.length ? b : a))
  if (longest.length > 1) return `Split the search by ${longest.name}: it names ${longest.length}.`
  if (!hasNumbers) return 'Narrow it by npis: the search names providers only by place or specialty.'
  return 'It cannot be narrowed, because it names one value in each list: contact support and quote the job id.'
}
