import { OddValue } from './strict-json.ts'

/** Formats a client's value for a message: short and printable. */
export function showValue(value: unknown): string {
  if (value instanceof OddValue) return printable(value.shown)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : printable(JSON.stringify(value) ?? 'undefined')
}

/** Formats a client's text for a message: the first 60 characters, with invisible and control characters escaped. */
export function printable(text: string): string {
  const characters = Array.from(text.toWellFormed(), (character) =>
    /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(character) ? escapeCharacter(character) : character,
  )
  return characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('')
}

function escapeCharacter(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16)
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
}
