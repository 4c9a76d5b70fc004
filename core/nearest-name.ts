/**
 * Finds the known names that a wrong one most likely meant.
 *
 * @param name what was asked for
 * @param known the names that exist
 * @param limit how many names to return at most
 * @returns the name that differs in the fewest letters (at most a third), then names of which it is a part or which are
 *   a part of it, the closest in length first; none if nothing is like it
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
 * Finds the known name that a misspelt one most likely meant.
 *
 * @returns undefined if none is near (more than a third of the letters differ)
 */
export function findNearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Whether the whole words of one name stand together in another: "Gold" is a part of "Gold PPO", "Go" is not. */
function isPart(part: string, whole: string): boolean {
  const words = spaced(part)
  return words.trim() !== '' && spaced(whole).includes(words)
}

const spaced = (name: string) => ` ${(name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `

/** Levenshtein distance, given up at `limit`: comparing with a whole catalogue must stay cheap. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    if (Math.min(...current) >= limit) return limit
    previous = current
  }
  return previous[b.length] ?? limit
}
