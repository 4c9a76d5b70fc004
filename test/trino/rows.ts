import { ratesColumns } from '../../core/rates.ts'
import { runDuckdb, sqlText } from '../local/athena/warehouse-fixture.ts'

/**
 * Rows as lines of text in one order, so that two readers can be compared: numbers, decimals and dates as their digits,
 * NULL apart from every text.
 */
export function describeRows(rows: readonly (readonly unknown[])[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row.map(describeValue))).sort()
}

function describeValue(value: unknown): unknown {
  if (value === null) return null
  return Array.isArray(value) ? value.map(describeValue) : String(value)
}

/** The rows of Parquet files, read by DuckDB with the columns of a result. */
export async function readParquetRows(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const columns = ratesColumns.map(({ name }) => name).join(', ')
  return describeRows(await runDuckdb(`SELECT ${columns} FROM read_parquet([${paths.map(sqlText).join(', ')}])`))
}
