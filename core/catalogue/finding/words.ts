import { removeAccents } from '../../compose-text.ts'

/**
 * The words by which people look for plans: letters and digits without case and accents. A name is found by the
 * beginning of each of its words, also when neighbours are typed as one: "Blue Cross", "BlueCross" and "bluec".
 */

/** Longest key, in UTF-16 code units. */
const maxKey = 24

/** The words of a text that somebody types, as keys begin with them. */
export function splitWords(text: string): readonly string[] {
  const words =
    removeAccents(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => word.slice(0, maxKey))
}

/** A key for each published word: the text from there on, without spaces. A capital after a small letter begins a word. */
export function keysOf(text: string): readonly string[] {
  const words = splitWords(text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))
  return words.map((_, index) =>
    words
      .slice(index, index + maxKey)
      .join('')
      .slice(0, maxKey),
  )
}

/** Whether each of the words begins a key. */
export function findsAll(words: readonly string[], keys: readonly string[]): boolean {
  return words.every((word) => keys.some((key) => key.startsWith(word)))
}
