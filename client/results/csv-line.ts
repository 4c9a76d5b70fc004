/** Writes cells as a line of CSV with its line break. Source: RFC 4180. */
export const writeCsvCells = (cells: readonly string[]): string => `${cells.map(quote).join(',')}\r\n`

const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/**
 * Makes a text harmless that a spreadsheet would take for a formula, by an apostrophe before it: payers write texts.
 *
 * Not only the start of a text is one: a spreadsheet whose list separator is not the comma, as where the comma is the
 * decimal point, ends a cell at `;`, a tab or `|`, and a row at each line end, because quotes within a cell count for
 * nothing there. A text with apostrophes before the formula gets another one, so that no two texts look alike. Source:
 * OWASP, "CSV Injection".
 */
export const guardFormulas = (text: string): string =>
  text
    .replace(/(\r\n|[;|\t\r\n])(?=[\s"']*[=+\-@＝＋－＠]|"*[\t\r])/g, "$1'")
    .replace(/^(?='*[=+\-@\t\r\n＝＋－＠])/, "'")
