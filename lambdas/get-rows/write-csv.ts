import type { RowsBody } from '../../contract/search-api.ts'

type Value = RowsBody['rows'][number][string]

/**
 * Writes rows as CSV after RFC 4180: the names of the columns, then a line for each row. A text that a spreadsheet
 * would take for a formula gets an apostrophe, because payers write the texts; so does one with apostrophes before it,
 * so that no two texts look alike. Source: OWASP, "CSV Injection".
 */
export function writeCsv({ columns, rows }: Pick<RowsBody, 'columns' | 'rows'>): string {
  const lines = rows.map((row) => columns.map(({ name, type }) => writeCell(row[name] ?? null, type)))
  return [columns.map(({ name }) => name), ...lines].map((cells) => `${cells.map(quote).join(',')}\r\n`).join('')
}

function writeCell(value: Value, type: string): string {
  if (value === null) return ''
  const text = Array.isArray(value) ? value.join(',') : String(value)
  const isNumber = typeof value === 'number' || type.startsWith('decimal')
  return !isNumber && /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
}

const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
