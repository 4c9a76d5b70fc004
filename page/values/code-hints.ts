import { formatNumber } from '../../schema/phrases.ts'

/** A word of a list that is allowed but will find nothing as it is, and what to search for in its place. */
export interface Hint {
  readonly word: string
  readonly message: string
  /** The values that are meant; empty if nobody can tell. */
  readonly meant: readonly string[]
}

/** Maximum number of codes of a range that are offered. */
const maxRange = 50

/** Two codes of the same form: digits, with a letter before or after them as HCPCS and CPT category II and III have. */
const range = /^([A-Z]?)(\d{3,5})([A-Z]?)[-–—]\1(\d{3,5})\3$/

/** A CPT or HCPCS code with a modifier of two characters. */
const modified = /^([A-Z]?\d{4,5}[A-Z]?)[-–—]([A-Z0-9]{2})$/

/** Joins ranges that are written with spaces, such as `99213 - 99215` or `99213 to 99215`. */
export const joinRanges = (text: string): string =>
  text.replace(
    /(?<![\w-])([a-z]?\d{3,5}[a-z]?)\s*(?:\s[-–—]|[-–—]\s|\sto\s)\s*([a-z]?\d{3,5}[a-z]?)(?![\w-])/gi,
    '$1-$2',
  )

/**
 * Returns a hint for a billing code that looks like something else: a range, a code with its modifier, or a word.
 *
 * @param code in upper case
 */
export function findCodeHint(code: string): Hint | undefined {
  const [, prefix = '', first = '', suffix = '', last = ''] = range.exec(code) ?? []
  if (first !== '' && first.length === last.length) return describeRange(code, prefix, suffix, [first, last])
  const [, plain, modifier] = modified.exec(code) ?? []
  if (plain !== undefined && plain.length === 5)
    return {
      word: code,
      message: `${code} has a modifier. Search for ${plain}, and choose the modifier ${modifier} in the result.`,
      meant: [plain],
    }
  if (!/\d/.test(code) && !code.startsWith('CSTM-'))
    return { word: code, message: `${code} has no digit, so it is hardly a code: find codes by name.`, meant: [] }
  return undefined
}

function describeRange(word: string, prefix: string, suffix: string, [first, last]: readonly [string, string]): Hint {
  const count = Number(last) - Number(first) + 1
  if (count < 1) return { word, message: `${word} is a range that ends before it begins.`, meant: [] }
  if (count > maxRange)
    return {
      word,
      message: `${word} is a range of ${formatNumber(count)} codes. Enter the codes themselves.`,
      meant: [],
    }
  const meant = Array.from(
    { length: count },
    (_, index) => `${prefix}${String(Number(first) + index).padStart(first.length, '0')}${suffix}`,
  )
  return { word, message: `${word} is a range; codes are searched for one by one.`, meant }
}

/** Replaces a word of a text by the values that are meant. */
export function replaceByMeant(text: string, { word, meant }: Hint): string {
  const written = word
    .replace(/[-–—]/g, '\0')
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('\0', '\\s*(?:[-–—]|\\bto\\b)\\s*')
  return text.replace(new RegExp(`(?<![\\w-])${written}(?![\\w-])`, 'gi'), meant.join(' '))
}
