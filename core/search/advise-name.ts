import { findNearestName } from '../catalogue/resolving/nearest-name.ts'

/** Maximum number of names that a text may mean; of more, it means none in particular. */
const maxMeant = 3

/**
 * Advises on a name that does not exist: those that have it as a part, the one with similar letters, or else all that
 * there are.
 *
 * @param named the name as it was sent; a value that is no text means none
 * @param nouns such as `columns`
 */
export function adviseName(named: unknown, known: readonly string[], nouns: string): string {
  const meant = typeof named === 'string' ? findMeant(named.trim().toLowerCase(), known) : []
  return meant.length === 0
    ? `the ${nouns} are ${known.join(', ')}`
    : `did you mean ${meant.map((name) => `\`${name}\``).join(' or ')}?`
}

/** A word of a name is as good as a misspelt name, and a shorter part is too little: `rate` means `negotiated_rate`. */
function findMeant(text: string, known: readonly string[]): readonly string[] {
  const withWord = known.filter((name) => name.split('_').includes(text))
  if (withWord.length > 0 && withWord.length <= maxMeant) return withWord
  const nearest = findNearestName(text, known)
  return nearest === undefined ? [] : [nearest]
}
