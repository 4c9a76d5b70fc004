import { at } from '../../../schema/at.ts'
import { splitWords } from '../../words.ts'

/**
 * Most comparisons of two characters for the suggestions of one request, counted by the lengths of names and not by a
 * clock, so that every machine suggests the same: about a third of a second, or three names among 6,000 of 60 letters.
 */
const maxComparisons = 60_000_000

/** Most lists of names that are read for the suggestions of one request, of up to five pages each. */
const maxLists = 12

/** The work that suggestions of one request may cost. When it is spent, further names get no suggestion. */
export class SuggestionBudget {
  #comparisons = maxComparisons
  #lists = maxLists

  get isSpent(): boolean {
    return this.#comparisons < 0 || this.#lists < 0
  }

  takeList(): void {
    this.#lists -= 1
  }

  /** Takes the comparisons of two names. @returns false if the budget is spent */
  takeNames(one: string, other: string): boolean {
    this.#comparisons -= one.length + other.length + (areNear(one, other) ? one.length * other.length : 0)
    return !this.isSpent
  }
}

/**
 * Suggests known names for an unknown one.
 *
 * @param name the requested name
 * @param known the existing names
 * @param limit maximum number of suggestions
 * @param budget of the request
 * @returns the name with the smallest edit distance (at most a third of the letters), then names that contain it or
 *   that it contains, closest in length first; empty if none is similar, or if the budget is spent
 */
export function suggestNames(
  name: string,
  known: Iterable<string>,
  limit: number,
  budget = new SuggestionBudget(),
): readonly string[] {
  if (budget.isSpent) return []
  const names = [...new Set(known)]
  const nearest = findNearestName(name, names, budget)
  if (budget.isSpent) return []
  const partial = names
    .filter((candidate) => candidate !== nearest && (isPart(name, candidate) || isPart(candidate, name)))
    .sort((a, b) => Math.abs(a.length - name.length) - Math.abs(b.length - name.length))
  return [...(nearest === undefined ? [] : [nearest]), ...partial].slice(0, limit)
}

/**
 * Finds the existing name that a misspelt one most likely means.
 *
 * @returns undefined if none is close (more than a third of the letters differ), or if the budget is spent
 */
export function findNearestName(
  name: string,
  candidates: Iterable<string>,
  budget = new SuggestionBudget(),
): string | undefined {
  let nearest: string | undefined
  let least = limitOf(name)
  for (const candidate of candidates) {
    if (!budget.takeNames(name, candidate)) return undefined
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** The least edit distance at which a name is not close to another one. */
const limitOf = (name: string) => Math.max(2, Math.floor(name.length / 3)) + 1

/** True if the lengths of names alone do not keep them apart. */
const areNear = (name: string, candidate: string) => Math.abs(name.length - candidate.length) < limitOf(name)

/** Returns whether one name contains the other as consecutive whole words: "Gold PPO" contains "Gold", but not "Go". */
function isPart(part: string, whole: string): boolean {
  const words = spaced(part)
  return words.trim() !== '' && spaced(whole).includes(words)
}

const spaced = (name: string) => ` ${splitWords(name).join(' ')} `

/** Levenshtein distance, cut off at `limit` so that comparing with a whole catalogue stays cheap. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, at(previous, column) + 1, at(current, column - 1) + 1))
    }
    if (Math.min(...current) >= limit) return limit
    previous = current
  }
  return at(previous, b.length)
}
