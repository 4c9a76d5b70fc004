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

/** An array, or a single string instead. */
export const list = (value: unknown): readonly unknown[] => (typeof value === 'string' ? [value] : array(value))

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

export function names(value: unknown): string[] | null {
  const texts = list(value).flatMap((each) => optional(each) ?? [])
  return texts.length === 0 ? null : texts
}

/** Places of service of CMS. */
export const places =
  `01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 31 32 33 34 41 42
  49 50 51 52 53 54 55 56 57 58 60 61 62 65 66 71 72 81 99`.split(/\s+/)

/** Reads a list as a set. @param isCode true for a code, by which texts that pack several codes are recognized */
export function set(value: unknown, isCode: (code: string) => boolean): string[] | null {
  const texts = (names(value) ?? [])
    .flatMap((each) => {
      const codes = each.split(/[,;|]/).map((code) => code.trim())
      return codes.every(isCode) ? codes : [each.trim()]
    })
    .filter((each) => each !== '')
  return texts.length === 0 ? null : [...new Set(texts)].sort()
}

const fold = (value: string) => value.toLowerCase().replace(/[\s-]/g, '')

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
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return null
  const day = new Date(value)
  return Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value) ? null : value
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
  const type = term(['ein', 'npi'], value['type'])?.trim().toLowerCase()
  const padded = integer(value['value'])?.padStart(type === 'ein' ? 9 : 0, '0')
  const digits = (text(value['value']) ?? padded ?? '').replace(/\D/g, '')
  if (type === undefined || digits === '') return undefined
  return { type, value: digits, businessName: optional(value['business_name']) }
}

const codeTypes = [
  ...['CPT', 'HCPCS', 'ICD', 'MS-DRG', 'R-DRG', 'S-DRG', 'APS-DRG', 'AP-DRG', 'APR-DRG'],
  ...['APC', 'NDC', 'HIPPS', 'LOCAL', 'EAPG', 'CDT', 'RC', 'CSTM-ALL'],
]

export function billingCode(part: Fields) {
  const written = text(part['billing_code_type'])
  const number = integer(part['billing_code'])
  const published = text(part['billing_code']) ?? number
  if (written === null || published === undefined) return undefined
  const type = codeTypes.find((each) => fold(each) === fold(written)) ?? written.trim().toUpperCase()
  const code = published.padStart(type === 'CPT' && number !== undefined ? 5 : 0, '0')
  return { type, code: canonical(type, code.trim().toUpperCase()), published }
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
