/** Maximum number of fee schedules, plan ids or NPIs that a message names; the others are counted. */
export const maxNamed = 10

/**
 * Formats a list for a message: the first few names and the number of further ones.
 *
 * @param limit maximum number of names that are written out @default - 3
 * @param show formats a name; called only for names that are written out, because a table of contents may list any
 *   number
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
