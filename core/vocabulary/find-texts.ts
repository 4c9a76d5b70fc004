import { splitWords } from '../catalogue/finding/words.ts'
import { listPhrases, type Phrase, phraseFor } from './everyday-words.ts'
import type { Matches, TextIndex } from './text-index.ts'

/** Maximum number of words of a query for which typing errors are looked for. */
const maxForgiven = 3

/** Finds the texts that a typed word such as `X-ray` means besides by its letters, or undefined. */
type FindMeaning = (typed: string) => Matches | undefined

/**
 * Finds the texts that have each phrase of a query, or other words for it. A word that no text has may be a typing
 * error of one that some text has.
 */
export function findTexts(index: TextIndex, q: string, findMeaning: FindMeaning = () => undefined): Matches {
  const findTyped = (typed: string): Matches => {
    const words = splitWords(typed)
    const meant = findMeaning(typed)
    const matches = [index.findBeginnings(words.join('')), ...(meant === undefined ? [] : [meant])]
    return uniteMatches(words.length < 2 ? matches : [...matches, findAll(index, words)])
  }
  const findPhrase = ({ typed, synonyms }: Phrase) =>
    uniteMatches([meetMatches(typed.map(findTyped)), ...synonyms.map((words) => findAll(index, words))])
  let forgiven = 0
  const forgive = (typed: string): Matches => {
    forgiven += 1
    const phrase = phraseFor(typed)
    const nearWords = splitWords(typed).map((word) => index.findNear(word))
    return uniteMatches([meetMatches(nearWords), ...(phrase === undefined ? [] : [findPhrase(phrase)])])
  }
  const findNear = ({ typed }: Phrase) =>
    meetMatches(
      typed.map((each) => {
        const matches = findTyped(each)
        return hasMatch(matches) || forgiven >= maxForgiven ? matches : forgive(each)
      }),
    )
  return meetMatches(
    listPhrases(q).map((phrase) => {
      const matches = findPhrase(phrase)
      return hasMatch(matches) ? matches : findNear(phrase)
    }),
  )
}

const findAll = (index: TextIndex, words: readonly string[]): Matches =>
  meetMatches(words.map((word) => index.findBeginnings(word)))

const hasMatch = (matches: Matches): boolean => matches.includes(1)

/** Returns the texts that match in each of the lists, at least one. */
function meetMatches(lists: readonly Matches[]): Matches {
  const [first, ...others] = lists
  if (first === undefined) throw new TypeError('a query without words finds nothing and everything')
  return first.map((match, text) => Number(match === 1 && others.every((other) => other[text] === 1)))
}

function uniteMatches(lists: readonly Matches[]): Matches {
  const [first, ...others] = lists
  if (first === undefined) throw new TypeError('nothing to unite')
  return others.length === 0
    ? first
    : first.map((match, text) => Number(match === 1 || others.some((other) => other[text] === 1)))
}
