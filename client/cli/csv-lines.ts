import { writeCsvHeader, writeCsvLine } from '../results/csv.ts'
import type { ResultRow } from '../results/result-row.ts'

/** Yields rows as lines of CSV for a spreadsheet, the header first, for the standard output. */
export function* writeCsvLines(columns: readonly string[], rows: readonly ResultRow[]): Generator<string> {
  yield endLine(writeCsvHeader(columns))
  for (const row of rows) yield endLine(writeCsvLine(columns, row))
}

/** Ends a line without a carriage return, which the output escapes like other controls. */
const endLine = (line: string) => line.replace(/\r\n$/, '\n')
