import { alignRows, measureColumns } from '../../client/command-line/table.ts'
import { printable } from '../../contract/texts/show-value.ts'

/** A list as a table, whose columns are the fields of its rows; `none` if there are no rows. */
export const formatList = (rows: readonly Readonly<Record<string, unknown>>[], none: string): string =>
  rows[0] === undefined ? none : formatTable(Object.keys(rows[0]), rows)

/** Formats rows as a table under their column names, with numbers right-aligned. */
export function formatTable(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const cells = rows.map((row) => columns.map((column) => formatCell(row[column])))
  const isNumeric = columns.map((column) => rows.every((row) => ['number', 'bigint'].includes(typeof row[column])))
  const rule = measureColumns([columns, ...cells]).map((width) => '─'.repeat(width))
  return alignRows([columns, rule, ...cells], isNumeric).join('\n')
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  // Parquet readers turn decimals into floating point; a rate has at most four decimal places.
  if (typeof value === 'number') return String(Number(value.toFixed(4)))
  // Names and addresses were written by others, and a terminal obeys what it is sent.
  return printable(Array.isArray(value) ? value.join(' ') : String(value), Number.MAX_SAFE_INTEGER)
}
