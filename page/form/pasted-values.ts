import { maxBillingCodeLength } from '../../contract/limits.ts'
import { hasCheckDigit, writtenTin } from '../../contract/provider-ids.ts'

/** Values read from pasted text: from a spreadsheet, a list or a sentence. */
export interface PastedValues {
  /** Each once, in the order of the text. */
  readonly values: readonly string[]
  /** Number of duplicates dropped. */
  readonly duplicates: number
  /** Words that are not valid values, each once. */
  readonly unreadable: readonly string[]
  /** Values that are allowed but look wrong, each once. */
  readonly suspect: readonly string[]
}

/** Code types that people write before a code; the code is searched for in every type. */
const codeType = /^(?:CPT|HCPCS|CDT|NDC|RC|REV|HIPPS|APC|ICD(?:-?10)?(?:-?(?:CM|PCS))?|(?:(?:MS|APR)-?)?DRG)[:#]?$/

/** NPIs: ten digits, or 0 for rates of a whole TIN. Those with a wrong check digit are suspect. */
export function parseNpis(text: string): PastedValues {
  return parse(
    text,
    (token) => (/^(?:\d{10}|0)$/.test(token) && !/^0\d/.test(token) ? token : undefined),
    (npi) => !hasCheckDigit(Number(npi)),
  )
}

/** Billing codes in upper case; words that name the type of the code after them are left out. */
export function parseCodes(text: string): PastedValues {
  const words = text.replace(/(\w+)[:#]\s*(?=\w)/g, '$1 ')
  return parse(
    words,
    (token) => (token.length <= maxBillingCodeLength ? token.toUpperCase() : undefined),
    () => false,
    (token) => codeType.test(token.toUpperCase()),
  )
}

/** TINs as digits; hyphens are dropped. */
export function parseTins(text: string): PastedValues {
  return parse(text, (token) => (writtenTin.test(token) ? token.replaceAll('-', '') : undefined))
}

/** Values that are written so, in upper case. */
export const parseWritten = (written: RegExp) => (text: string) =>
  parse(text, (token) => (written.test(token) ? token.toUpperCase() : undefined))

function parse(
  text: string,
  read: (token: string) => string | undefined,
  isSuspect: (value: string) => boolean = () => false,
  isIgnored: (token: string) => boolean = () => false,
): PastedValues {
  const tokens = text.split(/[\s,;|"'\u200b\ufeff]+/).filter((token) => token !== '' && !isIgnored(token))
  const parsed = tokens.map((token) => ({ token, value: read(token) }))
  const found = parsed.flatMap(({ value }) => value ?? [])
  const values = [...new Set(found)]
  return {
    values,
    duplicates: found.length - values.length,
    unreadable: [...new Set(parsed.flatMap(({ token, value }) => (value === undefined ? [token] : [])))],
    suspect: values.filter(isSuspect),
  }
}
