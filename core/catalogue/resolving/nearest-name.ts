import { at } from '../../../schema/at.ts'
/**
 * Suggests known names for an unknown one.
 *
 * @param name the requested name
 * @param known the existing names
 * @param limit maximum number of suggestions
 * @returns the name with the smallest edit distance (at most a third of the letters), then names that contain it or
 *   that it contains, closest in length first; empty if none is similar
 */
export function suggestNames(name: string, known: Iterable<string>, limit: number): readonly string[] {
  const names = [...new Set(known)]
  const nearest = findNearestName(name, names)
  const partial = names
    .filter((candidate) => candidate !== nearest && (isPart(name, candidate) || isPart(candidate, name)))
    .sort((a, b) => Math.abs(a.length - name.length) - Math.abs(b.length - name.length))
  return [...(nearest === undefined ? [] : [nearest]), ...partial].slice(0, limit)
}

/**
 * Finds the existing name that a misspelt one most likely means.
 *
 * @returns undefined if none is close (more than a third of the letters differ)
 */
export function findNearestName(name: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Returns whether one name contains the other as consecutive whole words: "Gold PPO" contains "Gold", but not "Go". */
function isPart(part: string, whole: string): boolean {
  const words = spaced(part)
  return words.trim() !== '' && spaced(whole).includes(words)
}

const spaced = (name: string) => ` ${(name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `

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
