import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { sourceTables, type WarehouseTable, warehouseTables } from '../../../schema/columns/warehouse-tables.ts'
import { buildFile, buildGroup, buildItem, buildPrice } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

/** Items whose codes and groups are not in the order of the tables; each group is inline in one of them. */
const items = Array.from({ length: 97 }, (_, index) =>
  buildItem({
    billing_code: String(10_000 + ((index * 31) % 97)),
    negotiated_rates: Array.from({ length: 5 }, (__, rate) => ({
      provider_groups: [buildGroup({ npi: [1_999_999_999 - index * 5 - rate, 1_000_000_000 + index] })],
      negotiated_prices: [buildPrice(), buildPrice()],
    })),
  }),
)

/** The rows of each file of a table, in order. */
async function readInOrder(root: string, { name }: WarehouseTable, columns: readonly string[]): Promise<string[][]> {
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    const files = join(root, name, '*', '*.parquet')
    const reader = await connection.runAndReadAll(
      `SELECT filename, ${columns.join(', ')} FROM read_parquet('${files}', filename = true, file_row_number = true)
       ORDER BY filename, file_row_number`,
    )
    const byFile = Map.groupBy(reader.getRowsJson(), ([filename]) => filename)
    return [...byFile.values()].map((rows) => rows.map(([, ...row]) => row.map(String).join(' ')))
  } finally {
    instance.closeSync()
  }
}

describe('the tables of a file whose groups are all inline', () => {
  it('sorts rows by the columns that searches prune by', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('rates.json', buildFile({ in_network: items }))] })
    for (const table of warehouseTables) {
      const files = await readInOrder(warehouse.root, table, table.sortedBy)
      expect(files.length).toBeGreaterThan(0)
      for (const rows of files) expect(rows, table.name).toEqual(rows.toSorted())
    }
    const [negotiatedRates] = sourceTables
    const prices = negotiatedRates && (await readInOrder(warehouse.root, negotiatedRates, ['billing_code']))
    expect(prices?.flat()).toHaveLength(970)
  })
})
