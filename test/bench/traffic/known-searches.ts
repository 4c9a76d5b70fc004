import type { SearchRequestBody } from '../../../contract/search-api.ts'
import { findSampleRows, gold } from '../../conformance/samples.ts'

/** A search of the sample data, and the number of rows it must find. */
export interface KnownSearch {
  readonly body: SearchRequestBody
  readonly rows: number
}

const codes = ['99203', '99213', '99214', '27447']

/** Twenty small searches, each for a different provider. */
export function listKnownSearches(): readonly KnownSearch[] {
  const rows = findSampleRows({ codes, plans: [gold] })
  const byNpi = [...Map.groupBy(rows, ({ npi }) => Number(npi))].slice(0, 20)
  return byNpi.map(([npi, found]) => ({
    body: { npis: [npi], billing_codes: codes, fee_schedules: [gold] },
    rows: found.length,
  }))
}
