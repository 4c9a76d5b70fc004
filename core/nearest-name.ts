/**
 * Finds the known name that a misspelt one most likely meant.
 *
 * @param name what was asked for
 * @param known the names that exist
 * @returns the nearest of them, or undefined when none is near (more than a third of the letters differ)
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
