/** Row groups are multiples of this many rows: the vectors in which DuckDB and others read them. */
const vectorRows = 2048

/** Maximum rows per row group: the default of DuckDB, with which many workers can read a large file in parallel. */
const largest = 122_880

/**
 * Footer bytes per row group in rows: about 2 kB at about 15 bytes per row (measured: docs/measured/table-layout.md).
 */
const footerRows = 130

/**
 * Chooses the rows per row group of a table. A search for few NPIs or codes reads the whole footer and one or two row
 * groups; their total is smallest when a row group is as large as the footer's part about all row groups.
 */
export function rowGroupSize(rows: number): number {
  const size = Math.round(Math.sqrt(footerRows * rows) / vectorRows) * vectorRows
  return Math.min(largest, Math.max(vectorRows, size))
}
