/** Most names that a message spells out. */
const maxNamed = 3

/** A list for a message: the first few names, and how many more there are. */
export function nameSome(names: readonly string[], limit = maxNamed): string {
  const more = names.length > limit ? ` and ${names.length - limit} more` : ''
  return names.slice(0, limit).join(', ') + more
}
