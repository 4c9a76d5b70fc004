/**
 * Escapes what a terminal would obey or hide in a line: controls, line separators, and the format characters that turn
 * the direction of text around. Names and messages come from a service, and before that from payers' files.
 *
 * @returns the text with `\uXXXX` in their place, which JSON reads back
 */
export const printable = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
