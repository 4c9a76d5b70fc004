/** DuckDB writes row groups in multiples of so many rows. Source: DuckDB documentation, "Execution format", vectors. */
const vectorRows = 2048

/** DuckDB's own default; with it a large file is still read by many workers at once. */
const largest = 122_880

/** What a row group adds to the footer, in rows of the tables: about 2 kB to about 15 bytes a row, measured in docs/layout.md. */
const footerRows = 130

/**
 * How many rows a row group of a table gets. A search for few NPIs or codes reads the whole footer and a row group or two:
 * both together are least where the rows of one row group take as many bytes as all row groups have in the footer.
 */
export function rowGroupSize(rows: number): number {
  const size = Math.round(Math.sqrt(footerRows * rows) / vectorRows) * vectorRows
  return Math.min(largest, Math.max(vectorRows, size))
}
