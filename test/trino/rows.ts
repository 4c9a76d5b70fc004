import { ratesColumns } from '../../schema/columns/rates.ts'
import { runDuckdb, sqlText } from '../local/athena/warehouse-fixture.ts'

/**
 * Rows as sorted lines of text, so that the results of two engines can be compared: numbers, decimals and dates as
 * digits, and NULL distinct from any text.
 */
export function describeRows(rows: readonly (readonly unknown[])[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row.map(describeValue))).sort()
}

function describeValue(value: unknown): unknown {
  if (value === null) return null
  return Array.isArray(value) ? value.map(describeValue) : String(value)
}

/** Reads Parquet files with DuckDB; returns the rows with columns of a result, all by default. */
export async function readParquetRows(
  paths: readonly string[],
  columns: readonly string[] = ratesColumns.map(({ name }) => name),
): Promise<readonly string[]> {
  if (paths.length === 0) return []
  return describeRows(
    await runDuckdb(`SELECT ${columns.join(', ')} FROM read_parquet([${paths.map(sqlText).join(', ')}])`),
  )
}
