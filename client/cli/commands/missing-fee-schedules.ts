import type { Estimate, SearchRequest } from '../../api.ts'
import { nameFew } from '../table.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Refuses a search that names a fee schedule that does not exist, by its estimate. Over a relation of the operator, which has
 * no number of files, nothing is refused: its names may be newer than the catalogue.
 *
 * @throws UsageError with each missing fee schedule and the nearest ones, or if none has the plan ids
 */
export function refuseMissing({ fee_schedules, files }: Estimate, { as_of }: SearchRequest): void {
  if (files === null) return
  if (fee_schedules.length === 0)
    throw new UsageError('no fee schedule has this --plan-id; look for it with rate-search fee-schedules --query')
  const missing = fee_schedules.filter(({ exists }) => !exists)
  if (missing.length === 0) return
  const described = missing.map(({ payer, plan, nearest }) => {
    const near = nearest.map((each) => `"${each.payer}" / "${each.plan}"`)
    return `no fee schedule "${payer}" / "${plan}"${near.length === 0 ? '' : ` (nearest: ${nameFew(near)})`}`
  })
  const all = nameFew(described, '; ')
  throw new UsageError(
    as_of === undefined
      ? `there is ${all}; list them with rate-search fee-schedules`
      : `as of ${as_of} there is ${all} to search; name another day`,
  )
}
