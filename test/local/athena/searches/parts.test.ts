import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isExcess } from '../../../../core/search/partitions/row-limit.ts'
import type { SearchRequest } from '../../../../core/search/search-request.ts'
import { unloadStatement } from '../../../../core/search/statement.ts'
import { ratesColumns } from '../../../../schema/columns/rates.ts'
import { resultColumns } from '../../../../schema/summary/result-columns.ts'
import { anyParts, isPartOf } from '../../../summaries/any-parts.ts'
import { anyVariedRequest, contentsOf } from '../../../summaries/any-summary.ts'
import { variedMonth, variedPlans, writeVariedWarehouse } from '../../../summaries/varied-warehouse.ts'
import { describeRows } from '../../../trino/rows.ts'
import { openAthena, type TestAthena } from '../test-athena.ts'
import { runDuckdb, sqlText } from '../warehouse-fixture.ts'

let athena: TestAthena
let results = 0

beforeAll(async () => {
  athena = await openAthena()
  await writeVariedWarehouse(athena.warehouseFolder, 300)
})

afterAll(() => athena.close())

/** The rows of a search's files, with some columns, and the number of rows beyond its limit. */
async function search(request: SearchRequest, columns: readonly string[], spread?: number) {
  const prefix = `${results++}/`
  const scope = { contents: contentsOf(request), nppesMonthId: variedMonth }
  const statement = unloadStatement(request, scope, `s3://results/${prefix}`, spread)
  const addresses = await athena.unload(statement)
  const isBeyond = (address: string) => isExcess(address.replace('s3://results/', ''), prefix)
  return {
    rows: await readRows(
      addresses.filter((address) => !isBeyond(address)),
      columns,
    ),
    excess: await readRows(addresses.filter(isBeyond), columns),
  }
}

async function readRows(addresses: readonly string[], columns: readonly string[]): Promise<readonly string[]> {
  if (addresses.length === 0) return []
  const files = addresses.map((address) => sqlText(athena.objects.pathOf(address))).join(', ')
  return describeRows(
    await runDuckdb(`SELECT ${columns.join(', ')} FROM read_parquet([${files}], hive_partitioning = false)`),
  )
}

const namesOf = (request: Pick<SearchRequest, 'columns'>) => resultColumns(request).map(({ name }) => name)

describe('a search with columns and a limit', () => {
  it('finds rows of the whole search, at most as many as its limit, and one more elsewhere if there are more', async () => {
    const seen = { whole: 0, cut: 0 }
    await fc.assert(
      fc.asyncProperty(
        anyVariedRequest,
        anyParts,
        fc.option(fc.constantFrom(3, 100)),
        async (request, parts, spread) => {
          const columns = namesOf(parts)
          const all = (await search(request, columns)).rows
          const { rows, excess } = await search({ ...request, ...parts }, columns, spread ?? undefined)
          const { limit = Number.POSITIVE_INFINITY } = parts
          expect(rows).toHaveLength(Math.min(limit, all.length))
          expect(excess).toHaveLength(all.length > limit ? 1 : 0)
          expect(isPartOf([...rows, ...excess], all)).toBe(true)
          seen[all.length > limit ? 'cut' : 'whole'] += 1
        },
      ),
      { numRuns: 20 },
    )
    expect(Math.min(seen.whole, seen.cut)).toBeGreaterThan(3)
  })

  it('writes no other columns to its files', async () => {
    const request: SearchRequest = { feeSchedules: [variedPlans[0]], columns: ['plan', 'negotiated_rate'], limit: 5 }
    const scope = { contents: contentsOf(request), nppesMonthId: variedMonth }
    const [address = ''] = await athena.unload(unloadStatement(request, scope, `s3://results/${results++}/`))
    const path = sqlText(athena.objects.pathOf(address))
    const described = await runDuckdb(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${path}, hive_partitioning = false))`,
    )
    expect(described).toEqual([
      ['plan', 'VARCHAR'],
      ['negotiated_rate', 'DECIMAL(18,4)'],
    ])
  })

  it('joins NPPES only for its columns or a filter of providers', () => {
    const request: SearchRequest = { npis: [1], feeSchedules: [variedPlans[0]] }
    const scope = { contents: ['varied1'], nppesMonthId: variedMonth }
    const statement = (parts: Partial<SearchRequest>) => unloadStatement({ ...request, ...parts }, scope, 's3://r/o/')
    const columns = ratesColumns.filter(({ home }) => home !== 'providers').map(({ name }) => name)
    expect(statement({ columns })).not.toContain('nppes_month_id')
    expect(statement({ columns: ['provider_city'] })).toContain('nppes_month_id')
    expect(statement({ columns, providers: { states: ['TX'] } })).toContain('nppes_month_id')
  })
})
