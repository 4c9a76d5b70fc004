/** Numbers and lists as messages to people show them, in every command, page and answer of the service. */

const numberFormat = new Intl.NumberFormat('en')

/** Maximum number of fee schedules, plan ids or NPIs that an answer of the service names; the others are counted. */
export const maxNamed = 10

/** Formats a number with a comma between thousands. */
export const formatNumber = (value: number): string => numberFormat.format(value)

/**
 * Formats a count with its noun, such as "1 file" and "2,000 files".
 *
 * @param plural @default - the noun with an `s`
 */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatNumber(count)} ${count === 1 ? noun : plural}`

/**
 * Formats a list for a message: the first few names and the number of further ones, such as "a, b, c and 4 more".
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
  const shown: string[] = []
  for (const name of names) {
    if (shown.length === limit) break
    shown.push(show(name))
  }
  const count = 'size' in names ? names.size : names.length
  if (count <= limit) return shown.join(separator)
  // After a comma, the last name needs none before the `and`; parts of a sentence do.
  return `${shown.join(separator)}${separator === ', ' ? ' ' : separator}and ${formatNumber(count - limit)} more`
}
