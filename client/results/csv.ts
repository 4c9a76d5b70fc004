import { Decimal } from '../../parquet/decimal.ts'
import { guardFormulas, writeCsvCells } from './csv-line.ts'
import type { ResultRow } from './result-row.ts'

/** Columns whose values are names of things, even if they look like numbers: spreadsheets drop their zeros. */
const identifiers = new Set([
  ...['npi', 'tin_value', 'provider_group_id', 'provider_zip', 'provider_taxonomy', 'price_id', 'price_key'],
  ...['billing_code', 'billing_code_published', 'billing_code_type_version'],
])

/** Excel's limit of a text in a formula, in characters. */
const maxFormulaText = 255

/** Byte order mark, without which Excel does not read the file as UTF-8. */
export const csvStart = '\ufeff'

/** A value as text: dates without a time, lists with commas, nothing for NULL. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  return Array.isArray(value) ? value.map(showValue).join(', ') : String(value)
}

/** Returns a value as text, and null for NULL. */
export const readText = (value: unknown): string | null =>
  value === null || value === undefined ? null : showValue(value)

/**
 * A line of CSV for spreadsheets, as RFC 4180 writes it, with its line break.
 *
 * Ids, codes and what begins like a number stay text (`="001"`), and formulas in texts get an apostrophe.
 */
export const writeCsvLine = (columns: readonly string[], row: Readonly<Record<string, unknown>>): string =>
  writeCsvCells(columns.map((column) => writeCell(row[column], identifiers.has(column))))

/** The names of the columns, as a line. They come from a file, so they may also be formulas. */
export const writeCsvHeader = (columns: readonly string[]): string =>
  writeCsvCells(columns.map((column) => writeCell(cleanName(column), false)))

/** Yields rows as lines of CSV for a spreadsheet, the header first, for the standard output. */
export function* writeCsvLines(columns: readonly string[], rows: readonly ResultRow[]): Generator<string> {
  yield endLine(writeCsvHeader(columns))
  for (const row of rows) yield endLine(writeCsvLine(columns, row))
}

/** Ends a line without a carriage return, which the output escapes like other controls. */
const endLine = (line: string) => line.replace(/\r\n$/, '\n')

/**
 * Writes a line of plain CSV for programs, as RFC 4180 has it: values as they are, without the guards that spreadsheets
 * need.
 */
export const writePlainCsvLine = (columns: readonly string[], row: Readonly<Record<string, unknown>>): string =>
  writeCsvCells(columns.map((column) => showValue(row[column])))

/** Returns the name of a column with U+FFFD for controls, which no name needs and a terminal obeys. */
export const cleanName = (column: string): string => column.replace(/\p{Cc}/gu, '\ufffd')

function writeCell(value: unknown, isIdentifier: boolean): string {
  const text = showValue(value)
  if (typeof value === 'number' || value instanceof Decimal) return isIdentifier ? writeText(text) : text
  const guarded = guardFormulas(text)
  const isText = isIdentifier || Array.isArray(value) || (typeof value === 'string' && /^[\d.($\s]/.test(guarded))
  return isText && text !== '' && !guarded.startsWith("'") ? writeText(guarded) : guarded
}

/** Writes a text so that a spreadsheet keeps it as one. */
const writeText = (text: string): string => (text.length <= maxFormulaText ? `="${text.replaceAll('"', '""')}"` : text)
