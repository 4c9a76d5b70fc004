/** Maximum number of names in a message. */
const maxNamed = 3

/** Formats a list for a message: the first few names and the number of others. */
export function nameSome(names: readonly string[], limit = maxNamed): string {
  const more = names.length > limit ? ` and ${names.length - limit} more` : ''
  return names.slice(0, limit).join(', ') + more
}
