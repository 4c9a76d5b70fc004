import { at } from '../../schema/at.ts'
import { keysOfWords, splitPublishedWords, splitWords } from '../catalogue/finding/words.ts'
import { type CodeName, isPlace, keyOfCode, placeOf } from './code-names.ts'

/** A word of a query as it was typed, such as `X-ray`. */
export interface CodeTerm {
  /** `x` and `ray`. */
  readonly words: readonly string[]
  /** `xray`. */
  readonly joined: string
}

/** Returns the terms of a query. */
export const termsOf = (q: string): readonly CodeTerm[] =>
  q
    .split(/\s+/u)
    .map((text) => splitWords(text))
    .filter((words) => words.length > 0)
    .map((words) => ({ words, joined: words.join('') }))

/**
 * Returns the lists of places that each lead to all names of a query, the most selective first: the longest term has
 * the rarest words. The type of a code is not in its name, so it is looked up last.
 */
export function listLookUps(terms: readonly CodeTerm[], isType: (word: string) => boolean): readonly string[][] {
  const isTyped = ({ words }: CodeTerm) => words.every(isType)
  const ordered = terms.toSorted((a, b) => Number(isTyped(a)) - Number(isTyped(b)) || b.joined.length - a.joined.length)
  return ordered.map(placesOfTerm).filter((places) => places.length > 0)
}

/** A term of several words is found as they are joined, in a code or a word, or by the longest of them. */
function placesOfTerm({ words, joined }: CodeTerm): string[] {
  const longest = at(
    words.toSorted((a, b) => b.length - a.length),
    0,
  )
  return [...new Set([joined, longest].map(placeOf))].filter(isPlace)
}

/** Returns a test of names: each term begins a word of the name or the code, or is the type of the code. */
export function matchTerms(terms: readonly CodeTerm[]): (name: CodeName) => boolean {
  return ({ type, code, name }) => {
    const nameWords = splitPublishedWords(name)
    const text = nameWords.join('')
    const codeKey = keyOfCode(code)
    // A word that spans several of the name is rare, so keys are made only if the letters are there at all.
    const begins = (word: string) =>
      codeKey.startsWith(word) ||
      nameWords.some((nameWord) => nameWord.startsWith(word)) ||
      (text.includes(word) && keysOfWords(nameWords).some((key) => key.startsWith(word)))
    const isType = (word: string) => splitWords(type).includes(word)
    return terms.every(({ words, joined }) => begins(joined) || words.every((word) => begins(word) || isType(word)))
  }
}
