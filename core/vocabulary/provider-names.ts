import { findsAll, keysOf, splitWords } from '../catalogue/finding/words.ts'

const isAscii = /^[ -~]*$/

/**
 * Returns a test of names: each word of `q` begins a word of the name, by the rules for names of plans. A state has a
 * million names, so names in ASCII, nearly all, are only split if they have the letters of each word one after another.
 */
export function matchProviderName(q: string): (name: string) => boolean {
  const words = splitWords(q)
  const asciiWords = words.map((word) => new RegExp([...word].join('[^a-z0-9]*'), 'i'))
  const mayMatch = words.every((word) => isAscii.test(word))
    ? (name: string) => !isAscii.test(name) || asciiWords.every((word) => word.test(name))
    : (name: string) => !isAscii.test(name)
  return (name) => mayMatch(name) && findsAll(words, keysOf(name))
}
