/** A number or word that is not JSON, as JSON writes its only meaning. */
export interface ScalarCure {
  readonly rule: 'odd-number' | 'odd-word'
  readonly json: string
}

/** Longest number or word that is cured, in bytes. */
export const maxScalar = 256

/**
 * Words of other languages and formats. JSON has no number for NaN and infinity: JavaScript, too, writes them as null.
 */
const words: ReadonlyMap<string, string> = new Map([
  ...['null', 'none', 'undefined', 'nan', 'inf', 'infinity'].map((word) => [word, 'null'] as const),
  ...['true', 'false'].map((word) => [word, word] as const),
])

const number = /^([+-]?)(\d*)\.?(\d*)((?:[eE][+-]?\d+)?)$/

/**
 * Finds the JSON for a number or word that exporters write otherwise: .85, +1, 5., 0125.50, NaN, None.
 *
 * Leading zeros of an amount say nothing. Those of any other number are part of a code, an id or a TIN, which is
 * therefore kept as a text.
 *
 * @param isAmount true for the value of a field that holds an amount
 * @returns undefined if the text is JSON, or has no meaning or several
 */
export function cureScalar(text: string, isAmount: boolean): ScalarCure | undefined {
  const word = words.get(text.toLowerCase().replace(/^[+-](?=inf)/, ''))
  if (word !== undefined) return word === text ? undefined : { rule: 'odd-word', json: word }
  const [, sign = '', whole = '', fraction = '', exponent = ''] = number.exec(text) ?? []
  if (whole + fraction === '') return undefined
  if (/^0\d/.test(whole) && sign === '' && !isAmount) return { rule: 'odd-number', json: JSON.stringify(text) }
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  const json = `${sign === '-' ? sign : ''}${digits}${fraction && `.${fraction}`}${exponent}`
  return json === text ? undefined : { rule: 'odd-number', json }
}
