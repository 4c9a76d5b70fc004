import { type FilterName, filterOf } from '../../contract/filters.ts'
import { maxBillingCodeLength } from '../../contract/limits.ts'
import { hasCheckDigit, writtenNpiOrZero, writtenTin } from '../../contract/provider-ids.ts'
import { findCodeHint, type Hint, joinRanges } from './code-hints.ts'

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
    parseToken: (token) => (writtenNpiOrZero.test(token) ? token : undefined),
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
export const parseStates = (text: string): PastedValues => parseWritten('states')(abbreviateStates(text))

/** Parses ZIP codes. */
export const parseZips = (text: string): PastedValues => parse(text, { parseToken: parseZip })

/** Parses one ZIP code; the last four digits of a ZIP+4 are dropped, because NPPES's places have five. */
export function parseZip(token: string): string | undefined {
  const zip = token.replace(/-\d{4}$/, '')
  return filterOf('zips').written.test(zip) ? zip : undefined
}

/** Returns a parser of the values of a filter, in upper case. */
export const parseWritten = (filter: FilterName) => (text: string) =>
  parse(text, { parseToken: (token) => (filterOf(filter).written.test(token) ? token.toUpperCase() : undefined) })

/** Parses names, each on a line, as they are: they may have blanks and commas. */
export function parseLines(text: string): PastedValues {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const values = [...new Set(lines)]
  return { values, duplicates: lines.length - values.length, unreadable: [], suspect: [], hints: [] }
}

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

/** Names of states and territories by the two letters that NPPES has. Source: USPS Publication 28, appendix B. */
const stateNames =
  'AL Alabama,AK Alaska,AS American Samoa,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,' +
  'DC District of Columbia,FL Florida,GA Georgia,GU Guam,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,' +
  'KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,' +
  'MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,' +
  'ND North Dakota,MP Northern Mariana Islands,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,PR Puerto Rico,' +
  'RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VI Virgin Islands,' +
  'VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming'

const stateLetters = new Map(stateNames.split(',').map((entry) => [entry.slice(3).toLowerCase(), entry.slice(0, 2)]))

/** The longest names first, so that West Virginia is not read as Virginia. */
const longestNames = [...stateLetters.keys()].sort((a, b) => b.length - a.length)

const writtenState = new RegExp(
  `(?<![\\p{L}\\d])(?:${longestNames.map((name) => name.replaceAll(' ', '\\s+')).join('|')})(?![\\p{L}\\d])`,
  'giu',
)

/** Replaces the names of states in a text by their two letters. */
const abbreviateStates = (text: string): string =>
  text.replace(writtenState, (name) => stateLetters.get(name.toLowerCase().replace(/\s+/g, ' ')) ?? name)
