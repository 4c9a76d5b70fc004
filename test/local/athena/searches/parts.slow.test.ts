import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../../../core/search/search-request.ts'
import { unloadStatement } from '../../../../core/search/statement.ts'
import { ratesColumns } from '../../../../schema/columns/rates.ts'
import { resultColumns } from '../../../../schema/summary/result-columns.ts'
import { anyParts, isPartOf } from '../../../summaries/any-parts.ts'
import { anyVariedRequest } from '../../../summaries/any-summary.ts'
import { variedMonth, variedPlans } from '../../../summaries/varied-warehouse.ts'
import { readParquetRows } from '../../../trino/rows.ts'
import { present } from '../test-athena.ts'
import { runDuckdb, sqlText } from '../warehouse-fixture.ts'
import { useVariedAthena } from './varied-athena.ts'

const athena = useVariedAthena()

/** Reads columns of the rows that a search finds, and of the rows beyond its limit. */
async function search(request: SearchRequest, columns: readonly string[], spread?: number) {
  const files = await athena.search(request, spread)
  const readRows = (isExcess: boolean) =>
    readParquetRows(
      files.filter((file) => file.isExcess === isExcess).map(({ path }) => path),
      columns,
    )
  return { rows: await readRows(false), excess: await readRows(true) }
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
    const [file] = await athena.search(request)
    const path = sqlText(present(file).path)
    const columns = await runDuckdb(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${path}, hive_partitioning = false))`,
    )
    expect(columns).toEqual([
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
