import { showValue } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { everywhere, groupColumns } from '../../schema/summary/definition.ts'
import type { Basis } from './comparable-prices.ts'
import { identifyValue, keyOfColumns, nameCode, placesOf } from './rate-groups.ts'

/** Returns a test for the rows of the code, class, unit, modifiers and place of the plot, on any terms. */
export const testBasis =
  (code: string, { billingClass, unit, modifiers, place }: Basis) =>
  (row: ResultRow): boolean => {
    const { rate_unit, billing_code_modifier } = row
    if (showValue(rate_unit) !== unit || showValue(billing_code_modifier) !== modifiers) return false
    if (showValue(row['billing_class']) !== billingClass) return false
    const places = placesOf(row)
    return (places.includes(place) || places.includes(everywhere)) && nameCode(row) === code
  }

/**
 * Returns the number of values whose prices are all doubtful, each once for its plan, code and terms by the weight, as
 * a summary counts what it leaves out.
 *
 * @param isCounted true for the rows to look at
 */
export function countLeftOut(
  { doubtful, sure }: { readonly doubtful: readonly ResultRow[]; readonly sure: readonly ResultRow[] },
  weight: SummaryWeight,
  isCounted: (row: ResultRow) => boolean = () => true,
): number {
  const identify = (row: ResultRow) => `${keyOfColumns(row, groupColumns)}\n${identifyValue(row, weight)}`
  const members = doubtful.filter((row) => identifyValue(row, weight) !== undefined && isCounted(row))
  // Most results have none, and then no sure row need be looked at.
  if (members.length === 0) return 0
  const values = new Set(members.map(identify))
  // Few sure rows have an amount and a thing of these, so that few need the whole key.
  const amounts = new Set(members.map((row) => identifyValue(row, weight)))
  for (const row of sure) if (amounts.has(identifyValue(row, weight)) && isCounted(row)) values.delete(identify(row))
  return values.size
}
