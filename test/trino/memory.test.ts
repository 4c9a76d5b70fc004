import { describe, expect, inject, it } from 'vitest'
import { parseSearchRequest } from '../../core/search/search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { gold } from '../conformance/samples.ts'
import { measureOnTrino } from './stand-in/measured-query.ts'
import { scopeOnTrino } from './stand-in/search-scope.ts'

const trino = inject('trino')

/** Several times the memory that the search for one NPI needs, in bytes: buffers differ from run to run. */
const maxPeakBytes = 8 * 2 ** 20

describe('the memory of a search on a real Trino', () => {
  it('stays small for one NPI', async () => {
    const request = parseSearchRequest({ npis: [1000100002], fee_schedules: [gold] })
    const { rows, peakBytes, peakTaskBytes } = await measureOnTrino(
      trino,
      selectStatement(request, await scopeOnTrino(trino, request)),
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(peakTaskBytes).toBeGreaterThan(0)
    expect(peakTaskBytes).toBeLessThanOrEqual(peakBytes)
    expect(peakBytes).toBeLessThan(maxPeakBytes)
  })
})
