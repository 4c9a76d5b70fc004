import { maxNameLength, maxPlanIdLength, writtenPlanId } from '../limits.ts'
import { composeText, foldWhiteSpace } from './compose-text.ts'

/**
 * Normalises the name of a payer or plan: Unicode NFC, white space folded. Names are then compared case-sensitively.
 */
export function normaliseName(text: string): string {
  return composeText(foldWhiteSpace(text))
}

/**
 * Finds the fault in the name of a payer or plan, by the same rule for requests and loads.
 *
 * @returns the rule that the name breaks, or undefined if it is valid
 */
export function findNameFault(text: string): string | undefined {
  const textFault = findTextFault(text)
  if (textFault !== undefined) return textFault
  const { length } = [...normaliseName(text)]
  if (length === 0) return 'must not be empty'
  if (length > maxNameLength) return `must have at most ${maxNameLength} characters, not ${length}`
  return undefined
}

/** Finds the fault in a plan id of a request. @returns the rule that it breaks, or undefined if it is valid */
export function findSearchedPlanIdFault(text: string): string | undefined {
  if (text.length > maxPlanIdLength) return `must have at most ${maxPlanIdLength} characters`
  return writtenPlanId.test(foldWhiteSpace(text)) ? undefined : 'must be an EIN, such as 12-3456789, or a HIOS id'
}

/**
 * Finds why a text cannot be stored and searched, white space aside: lone surrogates, which UTF-8 cannot encode;
 * U+FFFD, with which the gateway replaces bytes that are not UTF-8; and invisible characters, because names that look
 * the same must be the same. Source of the invisible ones, which include zero-width and bidirectional controls: Unicode
 * Standard Annex #44, Default_Ignorable_Code_Point.
 */
export function findTextFault(published: string): string | undefined {
  const text = foldWhiteSpace(published)
  if (!text.isWellFormed()) return 'must be well-formed Unicode (it has a lone surrogate)'
  if (text.includes('\uFFFD')) return 'must be UTF-8 (it has U+FFFD, which replaces bytes that are not)'
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters'
  const [invisible] = /\p{Default_Ignorable_Code_Point}/u.exec(text) ?? []
  return invisible === undefined
    ? undefined
    : `must not contain invisible characters (it has ${codePointOf(invisible)})`
}

function codePointOf(character: string): string {
  const codePoint = character.codePointAt(0)
  if (codePoint === undefined) throw new TypeError('an empty text has no code point')
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`
}
