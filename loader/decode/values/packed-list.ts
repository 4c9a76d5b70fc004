/** Ranges of the two-digit places of service. Source: CMS, "Place of Service Code Set". */
const placeRanges: readonly (readonly [first: number, last: number])[] = [
  [1, 27],
  [31, 34],
  [41, 42],
  [49, 58],
  [60, 62],
  [65, 66],
  [71, 72],
  [81, 81],
  [99, 99],
]

const places = new Set(
  placeRanges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index).padStart(2, '0')),
  ),
)

/** Checks a code of a packed list. No list of modifiers is free to use, but all have two characters. */
const codeChecks: Readonly<Record<string, (code: string) => boolean>> = {
  service_code: (code) => places.has(code),
  billing_code_modifier: (code) => /^[0-9A-Z]{2}$/.test(code),
}

/**
 * Reads an element of a set: a place of service has two digits, and numbers and spreadsheets drop a leading zero or add
 * decimals (`11.0`).
 *
 * @param text without white space around it
 */
export function readElement(field: string, text: string): string {
  const digits = field === 'service_code' ? /^([1-9]|\d\d)(?:\.0*)?$/.exec(text)?.[1] : undefined
  return digits?.padStart(2, '0') ?? text
}

/**
 * Splits a text that packs several codes, such as `52,53` or `11; 22`.
 *
 * @param field `service_code` or `billing_code_modifier`; texts of other fields are never split
 * @returns the codes; undefined unless there are several, all of them codes of the field
 */
export function splitPacked(field: string, text: string): readonly string[] | undefined {
  const isCode = codeChecks[field]
  if (isCode === undefined || !/[,;|]/.test(text)) return undefined
  const codes = text.split(/[,;|]/).map((code) => readElement(field, code.trim()))
  return codes.every(isCode) ? codes : undefined
}
