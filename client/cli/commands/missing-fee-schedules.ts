import { nameSome } from '../../../schema/phrases.ts'
import type { Estimate, SearchRequest } from '../../api.ts'
import { UsageError } from '../../command-line/command-errors.ts'
import { maxShownNames } from '../../command-line/table.ts'

/**
 * Refuses a search if its estimate shows that it names a fee schedule that does not exist. An estimate over the
 * operator's own relation has no number of files; then nothing is refused, because the relation may be newer than the
 * catalogue.
 *
 * @throws UsageError that names each missing fee schedule with the nearest ones, or if no fee schedule has the plan ids
 */
export function refuseMissing({ fee_schedules, files }: Estimate, { as_of }: SearchRequest): void {
  if (files === null) return
  if (fee_schedules.length === 0)
    throw new UsageError(
      'no fee schedule has this --plan-id; search for the plan with rate-search fee-schedules --query',
    )
  const missing = fee_schedules.filter(({ exists }) => !exists)
  if (missing.length === 0) return
  const faults = missing.map(({ payer, plan, nearest }) => {
    const names = nearest.map((each) => `"${each.payer}" / "${each.plan}"`)
    return `no fee schedule "${payer}" / "${plan}"${names.length === 0 ? '' : ` (nearest: ${nameSome(names, maxShownNames)})`}`
  })
  const faultList = nameSome(faults, maxShownNames, '; ')
  throw new UsageError(
    as_of === undefined
      ? `there is ${faultList}; list what exists with rate-search fee-schedules`
      : `as of ${as_of} there is ${faultList} to search; name another day`,
  )
}
