/** Writes cells as a line of CSV with its line break. Source: RFC 4180. */
export const writeCsvCells = (cells: readonly string[]): string => `${cells.map(quote).join(',')}\r\n`

const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/**
 * True for a text that a spreadsheet would take for a formula: payers write the texts, so it gets an apostrophe. So
 * does one with apostrophes before the formula, so that no two texts look alike. Source: OWASP, "CSV Injection".
 */
export const looksLikeFormula = (text: string): boolean => /^'*[=+\-@\t\r\n＝＋－＠]/.test(text)
