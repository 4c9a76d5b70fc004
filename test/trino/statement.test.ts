import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ratesColumns } from '../../core/rates.ts'
import type { SearchRequest } from '../../core/search-request.ts'
import { parseSearchRequest, requestLimits } from '../../core/search-request.ts'
import { longestStatement, selectStatement, unloadStatement } from '../../core/statement.ts'
import { trinoType } from '../../lib/rates-view.ts'
import { choice, dental, gold, silver } from '../conformance/samples.ts'
import type { TestAthena } from '../local/athena/test-athena.ts'
import { openAthena } from '../local/athena/test-athena.ts'
import { hostileCodes, hostilePlan } from './hostile-file.ts'
import { describeRows, readParquetRows } from './rows.ts'
import { runOnTrino } from './run-on-trino.ts'

const trino = inject('trino')
const scope = { sources: trino.sources }

let athena: TestAthena
let results = 0

beforeAll(async () => {
  athena = await openAthena({ warehouseFolder: join(trino.folder, 'warehouse') })
})

afterAll(() => athena.close())

/** Reads the shards that the local Athena writes for a search. */
async function readShards(request: SearchRequest): Promise<readonly string[]> {
  const statement = unloadStatement(request, scope, `s3://results/${results++}/`)
  return readParquetRows((await athena.unload(statement)).map(athena.objects.pathOf))
}

async function readTrino(request: SearchRequest): Promise<readonly string[]> {
  return describeRows((await runOnTrino(trino.url, selectStatement(request, scope))).rows)
}

describe('the SELECT of a search on a real Trino', () => {
  it('has the columns of a result with their types', async () => {
    const request = parseSearchRequest({ npis: [1000100000], fee_schedules: [gold] })
    const { columns } = await runOnTrino(trino.url, selectStatement(request, scope))
    expect(columns.map(({ name, type }) => [name, type.replace(', ', ',')])).toEqual(
      ratesColumns.map(({ name, type }) => [name, trinoType(type)]),
    )
  })

  it('finds the same rows of a payer’s plans as the shards', async () => {
    const request = parseSearchRequest({
      billing_codes: ['99203', '99213', '450', '0450', '27447'],
      fee_schedules: [gold, silver],
    })
    const rows = await readTrino(request)
    expect(rows.length).toBeGreaterThan(1000)
    expect(await readShards(request)).toEqual(rows)
  })

  it('finds rows by names and codes with arbitrary characters', async () => {
    const request = parseSearchRequest({ billing_codes: hostileCodes, fee_schedules: [hostilePlan] })
    const rows = await readTrino(request)
    expect(rows.length).toBeGreaterThanOrEqual(new Set(hostileCodes).size)
    expect(await readShards(request)).toEqual(rows)
  })

  it('finds the same rows as the shards for any search', async () => {
    const npis = (await runOnTrino(trino.url, 'SELECT DISTINCT npi FROM provider_groups')).rows.flat().map(Number)
    const codes = (await runOnTrino(trino.url, 'SELECT DISTINCT billing_code FROM negotiated_rates')).rows.flat()
    const some = <Item>(items: readonly Item[]) =>
      fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: 8 })
    const anyNpis = some([0, 1999999999, ...npis])
    const anyCodes = some(['450', '0450', '1', 'CSTM-00', ...codes.map(String)])
    const plans = { fee_schedules: some([gold, silver, choice, dental, hostilePlan]) }
    const anyBody = fc.oneof(
      fc.record({ ...plans, npis: anyNpis, billing_codes: anyCodes }),
      fc.record({ ...plans, npis: anyNpis }),
      fc.record({ ...plans, billing_codes: anyCodes }),
    )
    let found = 0
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const request = parseSearchRequest(body)
        const rows = await readTrino(request)
        found += rows.length
        expect(await readShards(request)).toEqual(rows)
      }),
      { numRuns: 60 },
    )
    expect(found).toBeGreaterThan(0)
  })

  it('is accepted at the limits of a request', async () => {
    const feeSchedules = Array.from({ length: requestLimits.fee_schedules - 1 }, (_, index) => ({
      payer: `Payer ${index % 50}`,
      plan: `Plan ${index}`,
    }))
    const body = {
      npis: Array.from({ length: requestLimits.npis }, (_, index) => 1000100000 + index),
      billing_codes: Array.from(
        { length: requestLimits.billing_codes - 1 },
        (_, index) => `Z${String(index).padStart(29, '0')}`,
      ).concat('99213'),
      fee_schedules: [...feeSchedules, gold],
    }
    const statement = selectStatement(parseSearchRequest(body), scope)
    expect(Buffer.byteLength(statement)).toBeGreaterThan(150_000)
    expect(Buffer.byteLength(statement)).toBeLessThan(longestStatement)
    const { rows } = await runOnTrino(trino.url, statement)
    expect(rows.length).toBeGreaterThan(10)
  })

  it('reads no partition of sources outside the search', async () => {
    const request = parseSearchRequest({ billing_codes: ['99213'], fee_schedules: [gold] })
    const [source = ''] = trino.sources
    const statement = selectStatement(request, { sources: [source] })
    const plan = (await runOnTrino(trino.url, `EXPLAIN (TYPE IO, FORMAT JSON) ${statement}`)).rows.flat().join('')
    expect(plan).toContain(source)
    for (const other of trino.sources.slice(1)) expect(plan).not.toContain(`"${other}"`)
  })
})
