import { maxBillingCodeLength } from '../../contract/limits.ts'
import { hasCheckDigit, providerLists, writtenTin } from '../../contract/provider-ids.ts'
import { findCodeHint, type Hint, joinRanges } from './code-hints.ts'
import { abbreviateStates } from './states.ts'

const [states, zips] = providerLists

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
  /** Values that will hardly find anything as they are written, with what may be meant. */
  readonly hints: readonly Hint[]
}

/** Code types that people write before a code; the code is searched for in every type. */
const codeType = /^(?:CPT|HCPCS|CDT|NDC|RC|REV|HIPPS|APC|ICD(?:-?10)?(?:-?(?:CM|PCS))?|(?:(?:MS|APR)-?)?DRG)[:#]?$/

/** Parses NPIs: ten digits, or 0 for rates of a whole TIN. A value with a wrong check digit is suspect. */
export function parseNpis(text: string): PastedValues {
  return parse(text, {
    parseToken: (token) => (/^(?:\d{10}|0)$/.test(token) && !/^0\d/.test(token) ? token : undefined),
    isSuspect: (npi) => !hasCheckDigit(Number(npi)),
  })
}

/** Parses billing codes, in upper case; words that name the type of the code after them are left out. */
export function parseCodes(text: string): PastedValues {
  const words = joinRanges(text.replace(/(\w+)[:#]\s*(?=\w)/g, '$1 '))
  return parse(words, {
    parseToken: (token) => (token.length <= maxBillingCodeLength ? token.toUpperCase() : undefined),
    isIgnored: (token) => codeType.test(token.toUpperCase()),
    findHint: findCodeHint,
  })
}

/** Parses TINs as digits; hyphens are dropped. */
export function parseTins(text: string): PastedValues {
  return parse(text, { parseToken: (token) => (writtenTin.test(token) ? token.replaceAll('-', '') : undefined) })
}

/** Parses states, by their names or two letters. */
export const parseStates = (text: string): PastedValues => parseWritten(states.written)(abbreviateStates(text))

/** Parses ZIP codes. */
export const parseZips = (text: string): PastedValues => parse(text, { parseToken: parseZip })

/** Parses one ZIP code; the last four digits of a ZIP+4 are dropped, because NPPES's places have five. */
export function parseZip(token: string): string | undefined {
  const zip = token.replace(/-\d{4}$/, '')
  return zips.written.test(zip) ? zip : undefined
}

/** Returns a parser of values of a form, in upper case. */
export const parseWritten = (written: RegExp) => (text: string) =>
  parse(text, { parseToken: (token) => (written.test(token) ? token.toUpperCase() : undefined) })

/** The rules of a list. */
interface Rules {
  /** Returns the value of a word; undefined if it has none. */
  readonly parseToken: (token: string) => string | undefined
  readonly isSuspect?: (value: string) => boolean
  readonly isIgnored?: (token: string) => boolean
  readonly findHint?: (value: string) => Hint | undefined
}

function parse(text: string, { parseToken, isSuspect, isIgnored, findHint }: Rules): PastedValues {
  const tokens = text.split(/[\s,;|"'\u200b\ufeff]+/).filter((token) => token !== '' && !isIgnored?.(token))
  const parsed = tokens.map((token) => ({ token, value: parseToken(token) }))
  const readable = parsed.flatMap(({ value }) => value ?? [])
  const values = [...new Set(readable)]
  return {
    values,
    duplicates: readable.length - values.length,
    unreadable: [...new Set(parsed.flatMap(({ token, value }) => (value === undefined ? [token] : [])))],
    suspect: values.filter((value) => isSuspect?.(value)),
    hints: findHint === undefined ? [] : values.flatMap((value) => findHint(value) ?? []),
  }
}
