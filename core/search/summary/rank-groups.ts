import type { FirstRows } from '../../../contract/summaries.ts'
import { placeColumn, rankedWithin, summaryColumns } from '../../../schema/summary/summary-columns.ts'
import { partitionItem } from '../partitions/row-limit.ts'

/**
 * Writes the SELECT of the first rows of a summary by their medians, with their ranks, and of one row more in a
 * partition of its own if there are more (`row-limit.ts`).
 *
 * Rows that differ only in their place of service are one to their reader, so a rank counts them once: of each such set
 * only its first row is counted. Rows without a median have no rank, and are left out.
 *
 * @param groups the SELECT of all rows
 */
export function rankGroups(groups: string, { order, limit }: FirstRows, spread?: number): string {
  const names = summaryColumns.map(({ name }) => name)
  const apart = names.filter((name) => name !== placeColumn.name).join(', ')
  const compared = rankedWithin.join(', ')
  const direction = order === 'highest' ? 'DESC' : 'ASC'
  const isFirst = `CASE WHEN row_number() OVER (PARTITION BY ${apart}) = 1 THEN 1 ELSE 0 END`
  const upTo = `sum(is_first) OVER (PARTITION BY ${compared} ORDER BY median ${direction})`
  const ties = `sum(is_first) OVER (PARTITION BY ${compared}, median)`
  const items = [
    ...names.map((name) => `  ${name}`),
    '  CAST(rows_before + 1 AS bigint) AS rank',
    '  CAST(all_ranked AS bigint) AS ranked_count',
    `  ${partitionItem(`rows_before >= ${limit}`, spread)}`,
  ]
  return [
    'SELECT',
    items.join(',\n'),
    `FROM (SELECT *, row_number() OVER (PARTITION BY rows_before >= ${limit}) AS row_of_side`,
    `FROM (SELECT *, ${upTo} - ${ties} AS rows_before, sum(is_first) OVER (PARTITION BY ${compared}) AS all_ranked`,
    `FROM (SELECT *, ${isFirst} AS is_first`,
    `FROM (${groups}) AS rows_of_summary`,
    'WHERE median IS NOT NULL) AS rows_with_median) AS rows_in_order) AS ranked_rows',
    `WHERE rows_before < ${limit} OR row_of_side = 1`,
  ].join('\n')
}
