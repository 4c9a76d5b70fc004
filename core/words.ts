import { removeAccents } from '../contract/texts/compose-text.ts'
import { at } from '../schema/at.ts'

/**
 * The rules by which people find plans, codes, specialties and providers: words are letters and digits without case and
 * accents. A text is found by the beginning of each of its words, also when neighbours are typed as one: "Blue Cross",
 * "BlueCross" and "bluec". A word that no text has may have a typing error.
 */

/** Longest key, in UTF-16 code units. */
const maxKey = 24

/** Longest typed word, so that a key also has the letter that a mistyped word lacks. */
const maxWord = maxKey - 1

/** Nearly all published texts are ASCII, which has no accents. */
export const isAscii = /^[ -~]*$/

/** Returns the words of a typed text, as keys begin with them. */
export const splitWords = (text: string): readonly string[] => listWords(text).map((word) => word.slice(0, maxWord))

/** Returns the words of a published text. A capital after a small letter begins a word. */
const splitPublishedWords = (text: string): readonly string[] =>
  listWords(isAscii.test(text) ? separateCapitals(text) : text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))

const separateCapitals = (ascii: string): string => ascii.replace(/(?<=[a-z])[A-Z]/g, ' $&')

function listWords(text: string): readonly string[] {
  const words = isAscii.test(text)
    ? text.toLowerCase().match(/[a-z0-9]+/g)
    : removeAccents(text)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
  return words ?? []
}

/** Texts as one text of their words, with a line break after each. */
export interface JoinedWords {
  readonly letters: string
  /** 1 where a word begins in `letters`. */
  readonly begins: Uint8Array
  /** The positions in `letters` after each text. */
  readonly ends: Uint32Array
}

/** Joins the words of published texts. Most steps take all texts at once, which is much faster than one by one. */
export function joinWords(texts: readonly string[]): JoinedWords {
  const lines = texts.map((text) => (isAscii.test(text) ? text : splitPublishedWords(text).join(' ')))
  const block = separateCapitals([...lines, ''].join('\n')).toLowerCase()
  // Texts with other characters than ASCII have been split, so those are letters and digits.
  const letters = block.replace(/[^a-z0-9\n\u0080-\uffff]+/g, '')
  const lineBreak = 10
  const begins = new Uint8Array(letters.length)
  const ends = new Uint32Array(texts.length)
  let [position, line, isInWord] = [0, 0, false]
  for (let index = 0; index < block.length; index++) {
    const code = block.charCodeAt(index)
    if (code !== letters.charCodeAt(position)) isInWord = false
    else {
      if (!isInWord) begins[position] = 1
      position += 1
      isInWord = code !== lineBreak
      if (!isInWord) ends[line++] = position
    }
  }
  return { letters, begins, ends }
}

/** Returns a key for each published word: the text from the word on, without spaces. */
export function keysOf(text: string): readonly string[] {
  const words = splitPublishedWords(text)
  return words.map((_, index) =>
    words
      .slice(index, index + maxKey)
      .join('')
      .slice(0, maxKey),
  )
}

/**
 * Returns true if each of the words begins a key.
 *
 * @param mistyped words that may have a typing error
 */
export function findsAll(
  words: readonly string[],
  keys: readonly string[],
  mistyped: ReadonlySet<string> = new Set(),
): boolean {
  return words.every((word) =>
    keys.some((key) => key.startsWith(word) || (mistyped.has(word) && nearlyBegins(word, key))),
  )
}

/** Maximum number of words of a query in which typing errors are looked for. */
const maxMistyped = 3

/** The least length of a word in which a typing error is forgiven: shorter ones are near to too many others. */
const leastMistyped = 4

/** A word with a digit is an id, a code or a year, which nobody may guess. */
const canBeMistyped = (word: string): boolean => word.length >= leastMistyped && !/\p{N}/u.test(word)

/**
 * Returns true if a typing error is looked for in a word that no text has.
 *
 * @param mistyped the words of the query in which errors are already looked for
 */
export const mayBeMistyped = (word: string, mistyped: ReadonlySet<string>): boolean =>
  canBeMistyped(word) && (mistyped.has(word) || mistyped.size < maxMistyped)

/** Returns how keys begin that a word may nearly begin: the first letter is never wrong. */
export const firstLetterOf = (word: string): string => at([...word], 0)

/**
 * Returns true if a word begins a key but for one letter, not the first, that is wrong, missing, too much or swapped
 * with the next one: `harbr` and `habror` nearly begin `harbor`.
 */
export function nearlyBegins(word: string, key: string): boolean {
  if (!canBeMistyped(word) || word[0] !== key[0]) return false
  let position = 1
  while (position < word.length && word[position] === key[position]) position += 1
  const continues = (wordFrom: number, keyFrom: number) => key.startsWith(word.slice(wordFrom), keyFrom)
  const isSwapped = word[position] === key[position + 1] && word[position + 1] === key[position]
  return (
    continues(position + 1, position + 1) ||
    continues(position + 1, position) ||
    continues(position, position + 1) ||
    (isSwapped && continues(position + 2, position + 2))
  )
}
