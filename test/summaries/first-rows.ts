import type { FirstRows } from '../../contract/summaries.ts'
import { runDuckdb, sqlText } from '../local/athena/warehouse-fixture.ts'
import { describeRows } from '../trino/rows.ts'

/** The columns within which rows are ranked. */
const compared = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'name', 'billing_code_modifier', 'rate_unit'],
  'billing_class',
]

/** The first rows of a summary, and if there are more. */
export interface RankedRows {
  readonly rows: readonly string[]
  readonly hasMore: boolean
}

/**
 * A second implementation of ranks, over the files of a whole summary in SQL of DuckDB alone: ranks are those of the
 * distinct rows without their places, to which the rows are joined again.
 */
export async function rankWholeSummary(paths: readonly string[], { order, limit }: FirstRows): Promise<RankedRows> {
  if (paths.length === 0) return { rows: [], hasMore: false }
  const sign = order === 'highest' ? '-' : ''
  const all = `
    WITH summary AS (
      SELECT *, CAST(row(*COLUMNS(* EXCLUDE (place_of_service))) AS varchar) AS merged
      FROM read_parquet([${paths.map(sqlText).join(', ')}]) WHERE median IS NOT NULL
    ), ranked AS (
      SELECT merged, rank() OVER (PARTITION BY ${compared.join(', ')} ORDER BY ${sign}median) AS rank,
        count(*) OVER (PARTITION BY ${compared.join(', ')}) AS ranked_count
      FROM (SELECT DISTINCT * EXCLUDE (place_of_service) FROM summary)
    )
    SELECT * EXCLUDE (merged) FROM summary JOIN ranked USING (merged)`
  const rows = await runDuckdb(`SELECT * FROM (${all}) WHERE rank <= ${limit}`)
  const [count = []] = await runDuckdb(`SELECT count(*) FROM (${all}) WHERE rank > ${limit}`)
  return { rows: describeRows(rows), hasMore: Number(count[0]) > 0 }
}
