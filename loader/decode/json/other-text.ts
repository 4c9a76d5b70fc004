/** Separators of the fields of a line, in spreadsheets' exports. */
const separators = [',', ';', '\t', '|']

/** Control characters except tab, and the character that stands for bytes that are not UTF-8. */
const noText = /[^\P{Cc}\t]|\ufffd/u

/**
 * Describes a text that cannot be JSON, judging by its beginning.
 *
 * @param head the first lines, without white space before them
 * @returns undefined if it looks like none of the formats that operators confuse with JSON
 */
export function describeOtherText(head: string): string | undefined {
  const [first = '', second = ''] = head.split(/\r?\n/, 2)
  const isTable = separators.some((separator) => first.includes(separator) && second.includes(separator))
  return isTable && !noText.test(first) ? 'looks like CSV, not JSON: only JSON files are loaded' : undefined
}
