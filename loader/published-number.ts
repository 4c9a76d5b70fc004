/**
 * Numbers as their file writes them. Payers publish provider group ids such as 690.64462 and 12345678901234567890, and
 * rates with more digits than a float holds: both are worth exactly their own characters.
 */

/** A number that would read differently if it were printed again: 1.0, 1e3, 12345678901234567890. */
export class PublishedNumber {
  readonly characters: string

  constructor(characters: string) {
    this.characters = characters
  }
}

/** A reviver for `JSON.parse` that loses no character of any number; most numbers stay plain, to save memory. */
export function keepCharacters(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return new PublishedNumber(source)
}

/** An id: a number, or what a publisher writes as a string in its place. */
export type PublishedId = number | PublishedNumber | string

export const isNumber = (value: unknown): value is number | PublishedNumber =>
  typeof value === 'number' || value instanceof PublishedNumber

/** The characters of a number that was read with `keepCharacters`, or of an id. */
export function charactersOf(value: PublishedId): string {
  return value instanceof PublishedNumber ? value.characters : String(value)
}
