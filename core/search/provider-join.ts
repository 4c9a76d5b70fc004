import { nppesMonthIdColumn } from '../../schema/columns/column.ts'
import { providerColumns, providersTable } from '../../schema/columns/providers-table.ts'
import type { NppesMonth } from '../nppes/nppes-months.ts'
import type { SearchRequest } from './search-request.ts'
import { isIn, literal } from './sql.ts'

/**
 * Maximum number of NPIs that narrow the joined table. Trino reduces a longer list to its least and its greatest NPI.
 */
const maxNarrowingNpis = 1000

/** Bytes that a row group of the table takes in its footer, with seven columns. */
const footerBytes = 1000

/** The column of the joined table with its NPI, which no other relation has. */
const joinedNpi = 'provider_npi'

/**
 * Joins the providers of NPPES to `rates`. An NPI has at most one row, so no row of rates is lost or doubled. Trino
 * does not pass NPIs on to the table that an outer join adds, so they are named twice.
 *
 * @param npis the NPIs of the search; absent if it names none, or if the statement has no room for them twice
 */
export function joinProviders(nppesMonthId: string, npis?: readonly number[]): string {
  const conditions = [
    `${nppesMonthIdColumn} = ${literal(nppesMonthId)}`,
    ...(isNarrowing(npis) ? [isIn('npi', npis.map(String))] : []),
  ]
  const columns = [`npi AS ${joinedNpi}`, ...providerColumns.map(({ name }) => name)]
  const providers = `SELECT ${columns.join(', ')} FROM ${providersTable.name} WHERE ${conditions.join(' AND ')}`
  return `\nLEFT JOIN (${providers}) AS ${providersTable.name} ON ${joinedNpi} = npi`
}

const isNarrowing = (npis: readonly number[] | undefined): npis is readonly number[] =>
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
