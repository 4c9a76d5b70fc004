/**
 * Reads published values of any type by the rules of docs/publishers-values.md, with one function for a kind of field.
 */

export type Fields = Readonly<Record<string, unknown>>

export interface Tin {
  readonly type: string
  readonly value: string
  readonly businessName: string | null
}

/** A number as published. */
class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export function parse(text: string): Fields {
  const keepDigits = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'string') return value.toWellFormed()
    return typeof value === 'number' ? new Digits(context?.source ?? '') : value
  }
  return JSON.parse(text, keepDigits)
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits)

export const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

export const array = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const objects = (value: unknown): readonly Fields[] => array(value).filter(isObject)

/** An array, or a single string or number instead. */
export const list = (value: unknown): readonly unknown[] =>
  typeof value === 'string' || value instanceof Digits ? [value] : array(value)

export const isId = (value: unknown): boolean => value instanceof Digits || (typeof value === 'string' && value !== '')

export const characters = (id: unknown): string => (id instanceof Digits ? id.text : String(id))

const isNumber = (text: string) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)

export const isSameNumber = (a: string, b: string) => isNumber(a) && isNumber(b) && Number(a) === Number(b)

const integer = (value: unknown) =>
  value instanceof Digits && /^\d+(\.0+)?$/.test(value.text) ? value.text.replace(/\..*/, '') : undefined

/** A string that is not blank. */
export const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null)

/** An optional string, or an integer instead. */
export function optional(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : (integer(value) ?? null)
}

/** An optional name, or an integer instead. */
export const name = (value: unknown): string | null => spaced(optional(value) ?? '') || null

export function names(value: unknown): string[] | null {
  const texts = list(value).flatMap((each) => optional(each) ?? [])
  return texts.length === 0 ? null : texts
}

/** Places of service of CMS. */
export const places =
  `01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 31 32 33 34 41 42
  49 50 51 52 53 54 55 56 57 58 60 61 62 65 66 71 72 81 99`.split(/\s+/)

/**
 * Reads a list as a set.
 *
 * @param isCode true for a code, by which texts that pack several codes are recognized
 * @param restore returns a code with the zeros that it has lost
 */
export function set(
  value: unknown,
  isCode: (code: string) => boolean,
  restore: (code: string) => string = (code) => code,
): string[] | null {
  const texts = (names(value) ?? [])
    .flatMap((each) => {
      const codes = each.split(/[,;|]/).map((code) => restore(code.trim()))
      return codes.every(isCode) ? codes : [restore(each.trim())]
    })
    .filter((each) => each !== '')
  return texts.length === 0 ? null : [...new Set(texts)].sort()
}

/** White space as `\s` means it, next line, and the zero-width space, as single spaces. */
export const spaced = (value: string) => value.replace(/[\s\u0085\u200b]+/g, ' ').trim()

const fold = (value: string) => spaced(value).toLowerCase().replace(/[ -]/g, '')

/** Reads a value as the schema lists it, or as published if the schema does not. */
export function term(listedValues: readonly string[], value: unknown): string | null {
  const published = text(value)
  return listedValues.find((each) => published !== null && fold(each) === fold(published)) ?? published
}

/** As `term`, for an optional value, or an integer instead. */
export const word = (listedValues: readonly string[], value: unknown) => term(listedValues, optional(value))

export function rate(value: unknown): string | undefined {
  const digits = value instanceof Digits ? value.text : value
  if (typeof digits !== 'string' || !isNumber(digits) || Math.abs(Number(digits)) >= 1e14) return undefined
  return Number(digits).toFixed(4)
}

export function date(value: unknown): string | null {
  const written = (text(value) ?? integer(value) ?? '').trim().replace(/[ T]+\d\d?:.*$/, '')
  const isMonthFirst = /^\d\d?\//.test(written)
  const parts = /^\d{8}$/.test(written)
    ? [written.slice(0, 4), written.slice(4, 6), written.slice(6)]
    : written.split(/[-/]/)
  const [y = '', m = '', d = ''] = isMonthFirst ? [parts[2], parts[0], parts[1]] : parts
  if (parts.length !== 3 || !/^\d{4} \d\d? \d\d?$/.test(`${y} ${m} ${d}`)) return null
  const day = new Date(Date.UTC(Number(y), Number(m) - 1, Number(d)))
  return day.getUTCMonth() === Number(m) - 1 && day.getUTCDate() === Number(d) ? day.toISOString().slice(0, 10) : null
}

export function npi(value: unknown): number | undefined {
  const digits = value instanceof Digits ? value.text : value
  if (typeof digits !== 'string' || !isNumber(digits)) return undefined
  // 1e-400 is not 0.
  if (Number(digits) === 0) return /[1-9]/.test(digits.replace(/e.*/i, '')) ? undefined : 0
  return /^[1-9]\d{9}$/.test(String(Number(digits))) ? Number(digits) : undefined
}

export function tin(value: unknown): Tin | undefined {
  if (!isObject(value)) return undefined
  const type = spaced(term(['ein', 'npi'], value['type']) ?? '').toLowerCase() || undefined
  const digits = (text(value['value']) ?? integer(value['value']) ?? '').replace(/\D/g, '')
  if (type === undefined || digits === '') return undefined
  const zeros = '0'.repeat(type === 'ein' ? Math.max(0, 9 - digits.length) : 0)
  return { type, value: zeros + digits, businessName: name(value['business_name']) }
}

/** The plan id of a file that states its type. */
export function planId(file: Fields): string | null {
  const value = spaced(text(file['plan_id']) ?? integer(file['plan_id']) ?? '')
    .replace(/[ -]/g, '')
    .toUpperCase()
  const type = text(file['plan_id_type'])?.trim().toLowerCase()
  if (value === '') return null
  return `${type}|${type === 'ein' ? value.padStart(9, '0') : value}`
}

const codeTypes = [
  ...['CPT', 'HCPCS', 'ICD', 'MS-DRG', 'R-DRG', 'S-DRG', 'APS-DRG', 'AP-DRG', 'APR-DRG'],
  ...['APC', 'NDC', 'HIPPS', 'LOCAL', 'EAPG', 'CDT', 'RC', 'CSTM-ALL'],
]

export function billingCode(part: Fields) {
  const written = text(part['billing_code_type'])
  const published = text(part['billing_code']) ?? integer(part['billing_code'])
  if (written === null || published === undefined) return undefined
  const type = codeTypes.find((each) => fold(each) === fold(written)) ?? spaced(written).toUpperCase()
  const code = canonical(type, spaced(published).toUpperCase())
  return { type, code: type === 'CPT' && /^\d{1,4}$/.test(code) ? `0000${code}`.slice(-5) : code, published }
}

export function containedCodes(value: unknown): string[] | null {
  const codes = objects(value).flatMap((part) => {
    const code = billingCode(part)
    const version = optional(part['billing_code_type_version']) ?? ''
    return code === undefined ? [] : [`${code.type}|${version.trim()}|${code.code}`]
  })
  return codes.length === 0 ? null : [...new Set(codes)].sort()
}

function canonical(type: string, code: string): string {
  const digits = { RC: 4, 'MS-DRG': 3 }[type]
  if (digits !== undefined && /^\d+$/.test(code)) return String(Number(code)).padStart(digits, '0')
  return type === 'ICD' ? code.replace('.', '') : code
}
