import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowGroupSize } from '../../../../loader/write/parquet/row-group-size.ts'
import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../../builders/test-warehouse.ts'
import { runDuckdb, sqlText } from '../../../local/athena/warehouse-fixture.ts'

describe('the rows of a row group', () => {
  it.each([
    [0, 2048],
    [100_000, 4096],
    [1_000_000, 12_288],
    [20_000_000, 51_200],
    [1_000_000_000, 122_880],
  ])('number, for a table of %i rows, %i', (rows, size) => {
    expect(rowGroupSize(rows)).toBe(size)
  })

  it('chooses a multiple of DuckDB’s vector size, and never fewer rows for a larger table', () => {
    const anyRows = fc.nat(2_000_000_000)
    fc.assert(
      fc.property(anyRows, anyRows, (a, b) => {
        expect(rowGroupSize(a) % 2048).toBe(0)
        expect(rowGroupSize(Math.min(a, b))).toBeLessThanOrEqual(rowGroupSize(Math.max(a, b)))
      }),
    )
  })
})

describe('a loaded file', () => {
  it('writes row groups of the chosen size', async () => {
    const npi = Array.from({ length: 10_000 }, (_, index) => 1000000000 + index)
    const references = [buildReference({ provider_groups: [buildGroup({ npi })] })]
    await using warehouse = await createTestWarehouse()
    await warehouse.load({
      files: [await warehouse.write('rates.json', buildFile({ provider_references: references }))],
    })
    const file = sqlText(`${warehouse.root}/provider_groups/*/*.parquet`)
    const found = await runDuckdb(
      `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${file}) ORDER BY ALL`,
    )
    expect(found.map(([, rows]) => Number(rows))).toEqual([2048, 2048, 2048, 2048, 1808])
  })

  it('writes smaller row groups if prices name many groups, each with at most about a million keys', async () => {
    const ids = Array.from({ length: 1500 }, (_, index) => index + 1)
    const references = ids.map((id) => buildReference({ provider_group_id: id }))
    const rate = { provider_references: ids, negotiated_prices: ids.map(() => buildPrice()) }
    const content = buildFile({
      provider_references: references,
      in_network: [buildItem({ negotiated_rates: [rate] }), buildItem({ references: [1] })],
    })
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('rates.json', content)] })
    const files = sqlText(`${warehouse.root}/negotiated_rates/*/*.parquet`)
    const found = await runDuckdb(
      `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${files}) ORDER BY ALL`,
    )
    expect(found.map(([, rows]) => Number(rows))).toEqual([700, 700, 101])
    const [counts] = await runDuckdb(
      `SELECT count(*), count(DISTINCT key) FROM (SELECT unnest(provider_group_keys) AS key FROM ${files})`,
    )
    expect(counts).toEqual([String(1500 * 1500 + 1), '1500'])
  })
})
