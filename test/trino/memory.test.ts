import { describe, expect, inject, it } from 'vitest'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { gold } from '../conformance/samples.ts'
import { buildLargeResult, countRows, groups, npisOfCodes, prices } from './stand-in/large-result.ts'
import { loadApart } from './stand-in/load-apart.ts'
import { measureOnTrino } from './stand-in/measured-query.ts'
import { foldersOnTrino, listOnTrino, scopeOnTrino } from './stand-in/search-scope.ts'

const trino = inject('trino')

/** Several times the memory that a small search needs, in bytes: buffers differ from run to run. */
const maxPeakBytes = 8 * 2 ** 20

/**
 * Largest memory of ten times as many rows of a result, as a multiple. It counts above `maxPeakBytes` only: buffers of
 * two megabytes become three on a busy machine, while five million rows that were held would be two gigabytes.
 */
const maxGrowth = 1.2

/** Runs of each search, of which the one with the least memory counts: buffers differ from run to run. */
const runs = 3

const large = await loadApart(trino.awsUrl, 'large-result', async (local) => ({
  files: [await local.write('large.json', buildLargeResult())],
}))

/** Measures a search over the file with many rows. */
async function measureLarge(body: object, readBy: (select: string) => string) {
  const request = parseSearchRequest({ ...body, fee_schedules: large.feeSchedules })
  const folders = foldersOnTrino({ ...trino, contents: large.contents }, request, large.location)
  return measureOnTrino(trino, readBy(selectStatement(request, await listOnTrino(trino, folders))))
}

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

  it('does not grow with the rows of its result, from half a million to five million', async () => {
    const peaks: number[] = []
    for (const code of ['99213', '99214'] as const) {
      const ofCode: number[] = []
      for (let run = 0; run < runs; run++) {
        const { rows, peakBytes } = await measureLarge({ billing_codes: [code] }, readEveryColumn)
        expect(Number(rows[0]?.[0])).toBe(countRows(code))
        ofCode.push(peakBytes)
      }
      peaks.push(Math.min(...ofCode))
    }
    const [few = 0, many = Number.POSITIVE_INFINITY] = peaks
    expect(many).toBeLessThanOrEqual(Math.max(maxGrowth * few, maxPeakBytes))
  }, 300_000)
})

describe('a summary on a real Trino', () => {
  it.each([
    ['tins', 1],
    ['npis', npisOfCodes['99213']],
  ] as const)('joins a price to as many rows of a group as it tells apart by the weight %s', async (weight, rows) => {
    const { rowsOfSets } = await measureLarge({ billing_codes: ['99213'], summary: { weight } }, (select) => select)
    expect(rowsOfSets).toBe(prices * groups * rows)
  })

  it('divides lists of places once for each distinct thing, and never for each joined row', async () => {
    const body = { billing_codes: ['99213'], summary: { weight: 'tins' } }
    const { unnestedRows } = await measureLarge(body, (select) => select)
    const things = { values: prices * groups, tins: groups, prices, files: 1 }
    // All prices have the same terms, whose table is read twice; lists of groups are unnested by price.
    expect(unnestedRows).toBe(2 + prices + Object.values(things).reduce((sum, count) => sum + count, 0))
  })
})

/** Wraps a SELECT so that every value of every row is computed, and none is sent to this process. */
const readEveryColumn = (select: string) =>
  `SELECT count(*), ${ratesColumns.map(({ name }) => `checksum(${name})`).join(', ')} FROM (${select})`
