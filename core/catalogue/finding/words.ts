import { removeAccents } from '../../compose-text.ts'

/**
 * The words by which people look for plans: letters and digits without case and accents. A name is found by the
 * beginning of each of its words, also when neighbours are typed as one: "Blue Cross", "BlueCross" and "bluec".
 */

/** Longest key, in UTF-16 code units. */
const maxKey = 24

const isAscii = /^[ -~]*$/

/** Returns the words of a typed text, as keys begin with them. */
export function splitWords(text: string): readonly string[] {
  // Nearly all published texts are ASCII, which has no accents.
  const words = isAscii.test(text)
    ? text.toLowerCase().match(/[a-z0-9]+/g)
    : removeAccents(text)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
  return (words ?? []).map((word) => word.slice(0, maxKey))
}

/** Returns a key for each published word: the text from the word on, without spaces. */
export const keysOf = (text: string): readonly string[] => keysOfWords(splitPublishedWords(text))

/** Returns the words of a published text. A capital after a small letter begins a word. */
export const splitPublishedWords = (text: string): readonly string[] =>
  splitWords(text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))

/** Returns a key for each word: the words from it on, without spaces. */
export const keysOfWords = (words: readonly string[]): readonly string[] =>
  words.map((_, index) =>
    words
      .slice(index, index + maxKey)
      .join('')
      .slice(0, maxKey),
  )

/** Returns true if each of the words begins a key. */
export function findsAll(words: readonly string[], keys: readonly string[]): boolean {
  return words.every((word) => keys.some((key) => key.startsWith(word)))
}
