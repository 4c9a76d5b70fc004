/**
 * Longest text that is composed, in UTF-16 code units. A longer text cannot compose to a valid name (200 code points,
 * each of at most four decomposed ones of two units). Source: Unicode Standard Annex #15, table of maximum expansion
 * factors.
 */
export const maxComposed = 1600

/**
 * Composes a text (Unicode NFC). A longer text than `maxComposed` is returned as it is and refused for its length:
 * composing takes time that grows with the square of a run of combining marks.
 */
export function composeText(text: string): string {
  return text.length > maxComposed ? text : text.normalize('NFC')
}

/** White space of any kind, with the zero-width space and the byte order mark, which look like nothing. */
const whiteSpace = /[\p{White_Space}\u200b\ufeff]+/gu

/**
 * Folds white space: none at the ends, single spaces within. Line breaks, tabs and no-break spaces in a name come from
 * spreadsheets and forms, and have no other meaning.
 */
export const foldWhiteSpace = (text: string): string => text.replace(whiteSpace, ' ').trim()

/**
 * Removes accents and other marks, to compare texts as people type them. A text longer than `maxComposed` is returned
 * as it is.
 */
export function removeAccents(text: string): string {
  return text.length > maxComposed ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '')
}
