import { describe, expect, inject, it } from 'vitest'
import { parseSearchRequest } from '../../core/search/search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { manyFilesCode, manyFilesNpi, manyFilesPlan } from './many-files.ts'
import { scopeOnTrino } from './search-scope.ts'
import { measureOnTrino } from './stand-in/measured-query.ts'
import type { RequestCounts } from './stand-in/request-log.ts'

const trino = inject('trino')

/**
 * Maximum numbers of requests by the number of files of the plan: a LIST for each bucket of a table, one GET or two for
 * each file, and a question about the statistics of each bucket until Trino remembers that there are none.
 */
const maxRequests: readonly (readonly [count: number, RequestCounts])[] = [
  [2, { GetTable: 4, GetColumnStatisticsForPartition: 5, LIST: 5, GET: 7 }],
  [10, { GetTable: 4, GetColumnStatisticsForPartition: 21, LIST: 21, GET: 31 }],
  [84, { GetTable: 4, GetColumnStatisticsForPartition: 169, LIST: 169, GET: 253 }],
]

describe('a search for one NPI and one code on a real Trino', () => {
  it.each(maxRequests)('sends few requests to Glue and S3 for a plan of %i files', async (count, limits) => {
    const body = { npis: [manyFilesNpi], billing_codes: [manyFilesCode], fee_schedules: [manyFilesPlan(count)] }
    const request = parseSearchRequest(body)
    const { rows, requests } = await measureOnTrino(trino, selectStatement(request, scopeOnTrino(trino, request)))
    expect(rows).toHaveLength(count)
    expect(requests).toMatchObject({ GetTable: expect.any(Number), LIST: expect.any(Number), GET: expect.any(Number) })
    const excess = Object.entries(requests).filter(([kind, number]) => number > (limits[kind] ?? 0))
    expect(excess).toEqual([])
  })
})
