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

/**
 * Removes accents and other marks, to compare texts as people type them. A text longer than `maxComposed` is returned
 * as it is.
 */
export function removeAccents(text: string): string {
  return text.length > maxComposed ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '')
}
