import type { CompletedManifest } from '../../api.ts'
import type { ResultRow } from '../../results/result-row.ts'
import { aboutColumns, sortSummary } from '../../results/summary-rows.ts'
import { findRows } from '../result-rows.ts'
import type { ToolSession } from '../session.ts'

/** Groups of a summary. */
export interface SummaryGroups {
  /** The row of each group, ordered by what the groups are about. */
  readonly rows: readonly ResultRow[]
  /** The columns that say what a group is about. */
  readonly about: readonly string[]
  /** True if the summary has no further groups, or none of the code. */
  readonly isWhole: boolean
}

/** Maximum number of groups to read of a summary. */
const maxGroups = 5_000

/**
 * Reads the groups of a completed summary.
 *
 * @param code the billing code whose groups are read @default - all groups
 */
export async function readGroups(
  session: ToolSession,
  manifest: CompletedManifest,
  code?: string,
): Promise<SummaryGroups> {
  const { rows, columns, isWhole } = await findRows(session, manifest, {
    by: code === undefined ? [] : ['billing_code'],
    matches: (row) => code === undefined || row['billing_code'] === code,
    limit: maxGroups,
  })
  const groups = rows.map(({ row }) => row)
  return { rows: sortSummary(groups, columns), about: aboutColumns(columns), isWhole }
}
