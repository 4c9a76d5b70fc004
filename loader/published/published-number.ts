/**
 * Numbers as their file writes them. Payers publish provider group ids such as 690.64462 and 12345678901234567890, and
 * rates with more digits than a float holds: both are worth exactly their own characters.
 */

/** A number that would read differently if it were printed again: 1.0, 1e3, 12345678901234567890. */
export class PublishedNumber {
  readonly characters: string

  constructor(characters: string) {
    this.characters = characters
  }
}

/** A reviver for `JSON.parse` that loses no character of any number; most numbers stay plain, to save memory. */
export function keepCharacters(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return new PublishedNumber(source)
}

/** An id: a number, or what a publisher writes as a string in its place. */
export type PublishedId = number | PublishedNumber | string

export const isNumber = (value: unknown): value is number | PublishedNumber =>
  typeof value === 'number' || value instanceof PublishedNumber

/** Whether a value can be an id: null and the empty text are none. */
export const isId = (value: unknown): value is PublishedId =>
  isNumber(value) || (typeof value === 'string' && value !== '')

/** The characters of a number that was read with `keepCharacters`, or of an id. */
export function charactersOf(value: PublishedId): string {
  return value instanceof PublishedNumber ? value.characters : String(value)
}

/** JSON's grammar of a number: sign, digits before and after the point, exponent. */
const number = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A number that is written as a text. JSON's grammar only: `1,234.50`, `10.5 %` and ` 1` have no sure meaning. */
export function parseNumber(text: string): PublishedNumber | undefined {
  return number.test(text) ? new PublishedNumber(text) : undefined
}

/** The digits of a natural number; undefined for any other. Zeros after the point do not survive parsing and are ignored. */
export function digitsOf(number: number | PublishedNumber): string | undefined {
  return /^(\d+)(?:\.0+)?$/.exec(charactersOf(number))?.[1]
}

/**
 * One form for all numbers of the same value: digits without leading or trailing zeros, and an exponent.
 *
 * @returns undefined if the characters are not a number in JSON's grammar
 */
export function normaliseNumber(characters: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = number.exec(characters) ?? []
  if (whole === '') return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`
}
