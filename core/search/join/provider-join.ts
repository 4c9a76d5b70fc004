import type { NppesMonth } from '../../nppes/nppes-months.ts'
import type { SearchRequest } from '../search-request.ts'

/**
 * Maximum number of NPIs that narrow the joined table. Trino reduces a longer list to its least and its greatest NPI.
 */
const maxNarrowingNpis = 1000

/** Bytes that a row group of the table takes in its footer, with seven columns. */
const footerBytes = 1000

/** True if NPIs are few enough to skip row groups of NPPES by naming them. */
export const isNarrowing = (npis: readonly number[] | undefined): npis is readonly number[] =>
  npis !== undefined && npis.length <= maxNarrowingNpis

/** Measures the most bytes of the joined table that a search reads: a row group for each of its NPIs, or all. */
export function measureJoinedBytes(
  { npis }: Pick<SearchRequest, 'npis'>,
  { bytes, rows, rowGroupRows }: Pick<NppesMonth, 'bytes' | 'rows' | 'rowGroupRows'>,
): number {
  if (!isNarrowing(npis)) return bytes
  const rowGroups = Math.ceil(rows / rowGroupRows)
  return Math.min(bytes, Math.ceil((bytes / rowGroups) * npis.length) + footerBytes * rowGroups)
}
