/** How many fee schedules, plan ids or NPIs a message names at most; the others are counted. */
export const maxNamed = 10

/**
 * Formats a list for a message: the first few names and the number of others.
 *
 * @param limit how many are named, 3 by default
 * @param show formats a name. It is called only for those that are named: a table of contents may list any number
 */
export function nameSome<Name extends string | number>(
  names: readonly Name[] | ReadonlySet<Name>,
  limit = 3,
  separator = ', ',
  show: (name: Name) => string = String,
): string {
  const count = 'size' in names ? names.size : names.length
  const more = count > limit ? ` and ${count - limit} more` : ''
  return names.values().take(limit).map(show).toArray().join(separator) + more
}
