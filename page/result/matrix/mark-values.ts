import type { ResultRow } from '../../../client/results/result-row.ts'
import type { SummaryWeight } from '../../../contract/summaries.ts'
import { identifyKind } from '../comparable-prices.ts'
import type { Mark } from '../marks/mark.ts'
import { identifyValue, nameCode } from '../rate-groups.ts'

/**
 * Returns a mark that finds the same values in the cells of the matrix as in the strips of the plot. A cell has only
 * one row of each value, which may be that of another provider of the TIN, so a provider is found by the value.
 *
 * @param rows all rows that are counted
 */
export function markValues(
  mark: Mark | undefined,
  rows: readonly ResultRow[],
  weight: SummaryWeight,
): Mark | undefined {
  if (mark?.kind !== 'party') return mark
  const identify = (row: ResultRow) => `${nameCode(row)}\n${identifyKind(row)}\n${identifyValue(row, weight)}`
  const values = new Set(rows.filter(mark.has).map(identify))
  return { ...mark, has: (row) => values.has(identify(row)) }
}
