/** How many fee schedules, plan ids or NPIs a message names at most; the others are counted. */
export const maxNamed = 10

/**
 * Formats a list for a message: the first few names and the number of others.
 *
 * @param limit how many are named, 3 by default
 */
export function nameSome(names: readonly (string | number)[], limit = 3, separator = ', '): string {
  const more = names.length > limit ? ` and ${names.length - limit} more` : ''
  return names.slice(0, limit).join(separator) + more
}
