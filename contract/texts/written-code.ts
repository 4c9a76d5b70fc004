import { maxBillingCodeLength } from '../limits.ts'
import { codeTypePrefix } from './code-types.ts'
import { composeText, foldWhiteSpace } from './compose-text.ts'
import { findTextFault } from './names.ts'

/**
 * Billing codes are text, never numbers: leading zeros carry meaning (00100 anaesthesia, 0200 a revenue code, 001 a
 * DRG).
 */

/**
 * Folds white space of a code and converts it to upper case, for all types. Composed again at the end, because upper
 * case decomposes some letters.
 */
export function normaliseBillingCode(code: string): string {
  return composeText(composeText(foldWhiteSpace(code)).toUpperCase())
}

/** Finds the reason why a search cannot name a text as a code; undefined if it can. */
export function findBillingCodeFault(code: string): string | undefined {
  const textFault = findTextFault(code)
  if (textFault !== undefined) return textFault
  const normal = normaliseBillingCode(code)
  if (normal.length < 1 || normal.length > maxBillingCodeLength)
    return `must have 1 to ${maxBillingCodeLength} characters`
  const [, bare] = typedCode.exec(normal) ?? []
  return bare === undefined ? undefined : `must be a code without its type: send "${bare}"`
}

/**
 * A code prefixed with its type, as people write it (`CPT 99213`). Files have no such codes, so it would match nothing.
 */
const typedCode = new RegExp(`^(?:${codeTypePrefix})[\\s:#-]+([A-Z0-9.-]*\\d[A-Z0-9.-]*)$`)
