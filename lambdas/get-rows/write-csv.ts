import { guardFormulas, writeCsvCells } from '../../client/results/csv-line.ts'
import type { RowsBody } from '../../contract/search-api.ts'

type Value = RowsBody['rows'][number][string]

/** Writes rows as CSV: the names of the columns, then a line for each row. */
export function writeCsv({ columns, rows }: Pick<RowsBody, 'columns' | 'rows'>): string {
  const lines = rows.map((row) => columns.map(({ name, type }) => writeCell(row[name] ?? null, type)))
  return [columns.map(({ name }) => name), ...lines].map(writeCsvCells).join('')
}

function writeCell(value: Value, type: string): string {
  if (value === null) return ''
  const text = Array.isArray(value) ? value.join(',') : String(value)
  const isNumber = typeof value === 'number' || type.startsWith('decimal')
  return isNumber ? text : guardFormulas(text)
}
