import { mayBeMistyped, splitWords } from '../words.ts'
import { listPhrases, type Phrase, phraseFor } from './everyday-words.ts'
import type { Matches, TextIndex } from './text-index.ts'

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
  const mistyped = new Set<string>()
  const findNearWord = (word: string): Matches => {
    const matches = index.findBeginnings(word)
    if (hasMatch(matches) || !mayBeMistyped(word, mistyped)) return matches
    mistyped.add(word)
    return index.findNear(word)
  }
  const findNearTyped = (typed: string): Matches => {
    const matches = findTyped(typed)
    if (hasMatch(matches)) return matches
    const words = splitWords(typed)
    const phrase = mayBeMistyped(words.join(''), mistyped) ? phraseFor(typed) : undefined
    return uniteMatches([meetMatches(words.map(findNearWord)), ...(phrase === undefined ? [] : [findPhrase(phrase)])])
  }
  const findNear = ({ typed }: Phrase) => meetMatches(typed.map(findNearTyped))
  return meetMatches(
    listPhrases(q).map((phrase) => {
      const matches = findPhrase(phrase)
      return hasMatch(matches) ? matches : findNear(phrase)
    }),
  )
}

/** Finds the texts with all words. The first word that no text has ends the search. */
function findAll(index: TextIndex, words: readonly string[]): Matches {
  const lists: Matches[] = []
  for (const word of words) {
    const matches = index.findBeginnings(word)
    if (!hasMatch(matches)) return matches
    lists.push(matches)
  }
  return meetMatches(lists)
}

const hasMatch = (matches: Matches): boolean => matches.includes(1)

/** Returns the texts that match in each of the lists, at least one. */
function meetMatches([first, ...lists]: readonly Matches[]): Matches {
  if (first === undefined) throw new TypeError('a query without words finds nothing and everything')
  const met = first.slice()
  for (const list of lists) for (let text = 0; text < met.length; text++) if (list[text] !== 1) met[text] = 0
  return met
}

/** Returns the texts that match in one of the lists, at least one. */
function uniteMatches([first, ...lists]: readonly Matches[]): Matches {
  if (first === undefined) throw new TypeError('nothing to unite')
  const united = first.slice()
  for (const list of lists) for (let text = 0; text < united.length; text++) if (list[text] === 1) united[text] = 1
  return united
}
