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
  splitWords(isAscii.test(text) ? text.replace(/[a-z](?=[A-Z])/g, '$& ') : text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))

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

/** The least length of a word in which a typing error is forgiven: shorter ones are near to too many others. */
const leastMistyped = 4

/** Returns true if a typing error in a word is forgiven. */
export const canBeMistyped = (word: string): boolean => word.length >= leastMistyped && !/^\p{N}+$/u.test(word)

/**
 * Returns true if a word begins a key but for one letter, not the first, that is wrong, missing, too much or swapped
 * with the next one: `harbr` and `habror` nearly begin `harbor`. Numbers are ids and codes, which nobody may guess.
 */
export function nearlyBegins(word: string, key: string): boolean {
  if (!canBeMistyped(word) || word[0] !== key[0]) return false
  let place = 1
  while (place < word.length && word[place] === key[place]) place += 1
  const continues = (wordFrom: number, keyFrom: number) => key.startsWith(word.slice(wordFrom), keyFrom)
  const isSwapped = word[place] === key[place + 1] && word[place + 1] === key[place]
  return (
    continues(place + 1, place + 1) ||
    continues(place + 1, place) ||
    continues(place, place + 1) ||
    (isSwapped && continues(place + 2, place + 2))
  )
}
