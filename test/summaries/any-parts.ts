import fc from 'fast-check'
import type { SearchRequest } from '../../core/search/search-request.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'

/** Parts of results of the varied warehouse, whose searches find a few hundred rows. */
export const anyParts: fc.Arbitrary<Pick<SearchRequest, 'columns' | 'limit'>> = fc.record(
  {
    columns: fc.subarray(
      ratesColumns.map(({ name }) => name),
      { minLength: 1 },
    ),
    limit: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1_000_000 })),
  },
  { noNullPrototype: true },
)

/** True if `part` has no row more often than `whole`. */
export function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  const counts = new Map<string, number>()
  for (const row of whole) counts.set(row, (counts.get(row) ?? 0) + 1)
  for (const row of part) {
    const left = (counts.get(row) ?? 0) - 1
    if (left < 0) return false
    counts.set(row, left)
  }
  return true
}
