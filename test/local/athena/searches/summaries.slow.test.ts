import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SummaryRequest } from '../../../../contract/summaries.ts'
import type { SearchRequest } from '../../../../core/search/search-request.ts'
import { unloadStatement } from '../../../../core/search/statement.ts'
import { anyFirstRows, anySummary, anyVariedRequest } from '../../../summaries/any-summary.ts'
import { rankWholeSummary } from '../../../summaries/first-rows.ts'
import { variedContents, variedMonth, variedPlans } from '../../../summaries/varied-warehouse.ts'
import { summarizeWholeRows } from '../../../summaries/whole-rows.ts'
import { describeRows } from '../../../trino/rows.ts'
import { runDuckdb, sqlText } from '../warehouse-fixture.ts'
import { useVariedAthena } from './varied-athena.ts'

const athena = useVariedAthena()

const scope = { contents: variedContents, nppesMonthId: variedMonth }

/** The files of a result. */
const search = async (request: SearchRequest) => (await athena.search(request)).map(({ path }) => path)

const readFiles = async (paths: readonly string[]) =>
  describeRows(
    await runDuckdb(`SELECT * FROM read_parquet([${paths.map(sqlText).join(', ')}], hive_partitioning = false)`),
  )

async function readSummary(request: SearchRequest): Promise<readonly string[]> {
  const paths = await search(request)
  return paths.length === 0 ? [] : readFiles(paths)
}

describe('a summary', () => {
  it('equals the statistics of the whole rows, for any request', async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(anyVariedRequest, anySummary, async (request, summary) => {
        const actual = await readSummary({ ...request, summary })
        expect(actual).toEqual(await summarizeWholeRows(await search(request), summary, request.networks))
        rows += actual.length
      }),
      { numRuns: 12 },
    )
    expect(rows).toBeGreaterThan(200)
  })
})

describe('the first rows of a summary', () => {
  it('equal those of the whole summary with the first ranks, and all ties, for any request', async () => {
    let [rows, cut, ties] = [0, 0, 0]
    await fc.assert(
      fc.asyncProperty(anyVariedRequest, anySummary, anyFirstRows, async (request, summary, first) => {
        const files = await athena.search({ ...request, summary: { ...summary, first } })
        const paths = files.filter(({ isExcess }) => !isExcess).map(({ path }) => path)
        const expected = await rankWholeSummary(await search({ ...request, summary }), first)
        const actual = paths.length === 0 ? [] : await readFiles(paths)
        expect(actual).toEqual(expected.rows)
        expect(files.some(({ isExcess }) => isExcess)).toBe(expected.hasMore)
        rows += actual.length
        cut += expected.hasMore ? 1 : 0
        ties += actual.length > new Set(actual.map((row) => row.split(',').at(-2))).size ? 1 : 0
      }),
      { numRuns: 12 },
    )
    expect(rows).toBeGreaterThan(100)
    expect(cut).toBeGreaterThan(3)
    expect(ties).toBeGreaterThan(0)
  })
})

describe('the SQL of a summary', () => {
  const request = { feeSchedules: [variedPlans[0]] }

  it('reads no provider groups for the weight prices, unless a filter or a dimension needs them', () => {
    const statement = (summary: SummaryRequest, filters = {}) =>
      unloadStatement({ ...request, ...filters, summary }, { ...scope, contents: ['varied1'] }, 's3://results/out/')
    const prices: SummaryRequest = { weight: 'prices', by: [] }
    expect(statement(prices)).not.toMatch(/provider_groups|providers/)
    expect(statement(prices, { tins: ['10'] })).toContain('provider_groups')
    expect(statement({ ...prices, by: ['network'] })).toContain('provider_groups')
    expect(statement({ ...prices, countProviders: true })).toContain('provider_groups')
    expect(statement({ weight: 'tins', by: [] })).toContain('provider_groups')
  })

  it('reads NPPES only for a dimension or filter of providers', () => {
    const statement = (by: SummaryRequest['by'], filters = {}) =>
      unloadStatement({ ...request, ...filters, summary: { weight: 'tins', by } }, scope, 's3://results/out/')
    expect(statement(['network', 'npi', 'tin'])).not.toContain('FROM providers')
    expect(statement(['state'])).toContain('FROM providers')
    expect(statement([], { providers: { states: ['TX'] } })).toContain('FROM providers')
  })
})
