import { findNearestName } from '../catalogue/resolving/nearest-name.ts'

/**
 * Advises on a name that does not exist: the one that was meant, or else all that there are.
 *
 * @param named the name as it was sent; a value that is no text means none
 * @param nouns such as `columns`
 */
export function adviseName(named: unknown, known: readonly string[], nouns: string): string {
  const meant = typeof named === 'string' ? findNearestName(named, known) : undefined
  return meant === undefined ? `the ${nouns} are ${known.join(', ')}` : `did you mean \`${meant}\`?`
}
