import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SummaryRequest, summaryDimensions, summaryWeights } from '../../../contract/summaries.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { unloadStatement } from '../../../core/search/statement.ts'
import {
  variedCodes,
  variedContents,
  variedMonth,
  variedNpis,
  variedPlans,
  variedTins,
  writeVariedWarehouse,
} from '../../summaries/varied-warehouse.ts'
import { summarizeWholeRows } from '../../summaries/whole-rows.ts'
import { describeRows } from '../../trino/rows.ts'
import { openAthena, type TestAthena } from './test-athena.ts'
import { runDuckdb, sqlText } from './warehouse-fixture.ts'

let athena: TestAthena
let results = 0

beforeAll(async () => {
  athena = await openAthena()
  await writeVariedWarehouse(athena.warehouseFolder, 300)
})

afterAll(() => athena.close())

const scope = { contents: variedContents, nppesMonthId: variedMonth }

/** The files of a result. */
async function search(request: SearchRequest): Promise<readonly string[]> {
  const contents = request.feeSchedules.map(({ plan }) => (plan === 'Gold PPO' ? 'c1' : 'c2'))
  const statement = unloadStatement(request, { ...scope, contents }, `s3://results/${results++}/`)
  return (await athena.unload(statement)).map(athena.objects.pathOf)
}

async function readSummary(request: SearchRequest): Promise<readonly string[]> {
  const paths = await search(request)
  if (paths.length === 0) return []
  return describeRows(await runDuckdb(`SELECT * FROM read_parquet([${paths.map(sqlText).join(', ')}])`))
}

const some = <Item>(items: readonly Item[]) => fc.subarray([...items], { minLength: 1 })

const anySummary: fc.Arbitrary<SummaryRequest> = fc.record(
  {
    weight: fc.constantFrom(...summaryWeights),
    by: fc.subarray([...summaryDimensions]),
    includeDoubtful: fc.constant(true),
    countProviders: fc.constant(true),
  },
  { requiredKeys: ['weight', 'by'], noNullPrototype: true },
)

const anyRequest = fc.record(
  {
    npis: some(variedNpis),
    tins: some(variedTins),
    billingCodes: some(variedCodes),
    providers: fc.constantFrom({ states: ['TX'] }, { zips: ['97205'] }),
    feeSchedules: some(variedPlans),
  },
  { requiredKeys: ['feeSchedules'], noNullPrototype: true },
)

describe('a summary', () => {
  it('equals the statistics of the whole rows, for any request', async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(anyRequest, anySummary, async (request, summary) => {
        const actual = await readSummary({ ...request, summary })
        expect(actual).toEqual(await summarizeWholeRows(await search(request), summary))
        rows += actual.length
      }),
      { numRuns: 12 },
    )
    expect(rows).toBeGreaterThan(200)
  })
})

describe('the SQL of a summary', () => {
  const request = { feeSchedules: [variedPlans[0]] }

  it('reads no provider groups for the weight prices, unless a filter or a dimension needs them', () => {
    const statement = (summary: SummaryRequest, filters = {}) =>
      unloadStatement({ ...request, ...filters, summary }, { ...scope, contents: ['c1'] }, 's3://results/out/')
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
