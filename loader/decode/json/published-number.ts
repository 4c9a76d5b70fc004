/**
 * Numbers as published. Payers use provider group ids such as 690.64462 and 12345678901234567890, and rates with more
 * digits than a float holds, so the characters must be kept.
 */

/** A number whose text would change if it were parsed and printed: 1.0, 1e3, 12345678901234567890. */
export class PublishedNumber {
  readonly characters: string

  constructor(characters: string) {
    this.characters = characters
  }
}

/**
 * Parses text of a published file. Lone surrogates become U+FFFD here, before any texts are compared: they have no form
 * in UTF-8, so two texts that differ only in them would be stored as the same one.
 *
 * @param exactly true if a number in the text loses characters when it is parsed as a float
 * @throws SyntaxError, or RangeError if it is nested too deeply
 */
export function parsePublished(text: string, exactly: boolean): unknown {
  const hasSurrogates = text.includes('\\u') && /\\u[dD][89a-fA-F]/.test(text)
  return exactly || hasSurrogates ? JSON.parse(text, keepCharacters) : JSON.parse(text)
}

/** Keeps the characters of every number. Most stay floats, to save memory. */
function keepCharacters(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return new PublishedNumber(source)
}

/** An id: a number, or the string that a publisher writes instead. */
export type PublishedId = number | PublishedNumber | string

export const isNumber = (value: unknown): value is number | PublishedNumber =>
  typeof value === 'number' || value instanceof PublishedNumber

/** True if a value can be an id: null and the empty string cannot. */
export const isId = (value: unknown): value is PublishedId =>
  isNumber(value) || (typeof value === 'string' && value !== '')

/** Returns the characters of a number that was read with `parsePublished`, or of an id. */
export function charactersOf(value: PublishedId): string {
  return value instanceof PublishedNumber ? value.characters : String(value)
}

/** JSON's number grammar: sign, digits before and after the point, exponent. */
const number = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * Parses a number written as a string. Only JSON's grammar is accepted: `1,234.50`, `10.5 %` and ` 1` are ambiguous.
 */
export function parseNumber(text: string): PublishedNumber | undefined {
  return number.test(text) ? new PublishedNumber(text) : undefined
}

/**
 * Returns the digits of a natural number; undefined for others. Zeros after the point are ignored, because parsing may
 * drop them.
 */
export function digitsOf(number: number | PublishedNumber): string | undefined {
  return /^(\d+)(?:\.0+)?$/.exec(charactersOf(number))?.[1]
}

/**
 * Brings all numbers of the same value into one form: digits without leading or trailing zeros, and an exponent.
 *
 * @returns undefined if the characters are not a number in JSON's grammar
 */
export function normaliseNumber(characters: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = number.exec(characters) ?? []
  if (whole === '') return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.slice(0, [...digits].findLastIndex((digit) => digit !== '0') + 1)
  if (significant === '') return '0'
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`
}
