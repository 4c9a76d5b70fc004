/**
 * A value that JSON allows but requests do not: a number that JavaScript would write differently (`1e-400`, `1e400`,
 * `-0`, `10.0`), or a duplicate name in an object. No field accepts it.
 */
export class OddValue {
  /** The value as shown in messages. */
  readonly shown: string
  constructor(shown: string) {
    this.shown = shown
  }
}

/** Formats a client's value for a message: short and printable. */
export function showValue(value: unknown): string {
  if (value instanceof OddValue) return printable(value.shown)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : printable(JSON.stringify(value) ?? 'undefined')
}

/**
 * Formats a foreign text for a message: its first characters. Escapes characters that are invisible, break lines, or
 * control a terminal or the direction of writing.
 */
export function printable(text: string, longest = 60): string {
  // A request may have a hundred thousand names, and most texts need no change.
  if (text.length <= longest && /^[ -~]*$/.test(text)) return text
  const characters = Array.from(text.slice(0, 2 * longest + 2).toWellFormed(), (character) =>
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(character)
      ? escapeCharacter(character)
      : character,
  )
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('')
}

function escapeCharacter(character: string): string {
  const codePoint = character.codePointAt(0)
  if (codePoint === undefined) throw new TypeError('an empty text has no code point')
  const digits = codePoint.toString(16)
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
}
