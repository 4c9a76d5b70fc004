import { maxBillingCodeLength } from '../../contract/limits.ts'
import {
  codeTypePrefix,
  codeTypes,
  foldedCodeTypes,
  toCanonicalForm,
  toLoadedForm,
} from '../../schema/columns/code-types.ts'
import { findTextFault } from '../catalogue/fee-schedule.ts'
import { composeText, foldWhiteSpace } from '../compose-text.ts'
import { showValue } from './show-value.ts'

/**
 * Billing codes are text, never numbers: leading zeros carry meaning (00100 anaesthesia, 0200 a revenue code, 001 a
 * DRG).
 * Payers write the same code in several ways; searches and the loader compare the canonical form of its type.
 */

/**
 * Folds white space of a code and converts it to upper case, for all types. Composed again at the end, because upper
 * case decomposes some letters.
 */
export function normaliseBillingCode(code: string): string {
  return composeText(composeText(foldWhiteSpace(code)).toUpperCase())
}

/**
 * Converts a code to the canonical form of its type.
 *
 * @param type a billing code type in upper case (CMS schema, `billing_code_type`)
 * @param code a code as published or requested
 */
export function canonicalBillingCode(type: string, code: string): string {
  return toCanonicalForm(type, normaliseBillingCode(code))
}

/**
 * The form in which a search compares a code with the codes of a type. Zeros are added but never dropped: 00470 is an
 * anaesthesia code of CPT, and a search for it must not find MS-DRG 470.
 */
export function searchedBillingCode(type: string, code: string): string {
  const normal = normaliseBillingCode(code)
  const canonical = canonicalBillingCode(type, normal)
  return normal.startsWith('0') && normal.endsWith(canonical) ? normal : canonical
}

/** A code that a file may write as a request does, but that the request does not find. */
export interface UnsearchedCode {
  readonly code: string
  readonly type: string
  /** The code as rows have it. */
  readonly form: string
}

/**
 * Lists the codes that files may write like one of a request's codes, but that none of the request's codes finds: those
 * with fewer leading zeros. A code without zeros means what it says, and one as long as a CPT code is one.
 */
export const listUnsearched = (codes: readonly string[]): readonly UnsearchedCode[] =>
  codes.flatMap((code) => {
    const normal = normaliseBillingCode(code)
    if (!normal.startsWith('0') || normal.length >= codeTypes.CPT.digits) return []
    return foldedCodeTypes.flatMap((type) => {
      const form = toLoadedForm(type, normal)
      const isFound = codes.some((each) => [each, searchedBillingCode(type, each)].includes(form))
      return isFound || form.length > normal.length ? [] : [{ code, type, form }]
    })
  })

/** Finds the reason why a search cannot name a text as a code; undefined if it can. */
export function findBillingCodeFault(code: string): string | undefined {
  const textFault = findTextFault(code)
  if (textFault !== undefined) return textFault
  const normal = normaliseBillingCode(code)
  if (normal.length < 1 || normal.length > maxBillingCodeLength)
    return `must have 1 to ${maxBillingCodeLength} characters`
  const [, bare] = typedCode.exec(normal) ?? []
  return bare === undefined ? undefined : `must be a code without its type: send ${showValue(bare)}`
}

/**
 * A code prefixed with its type, as people write it (`CPT 99213`). Files have no such codes, so it would match nothing.
 */
const typedCode = new RegExp(`^(?:${codeTypePrefix})[\\s:#-]+([A-Z0-9.-]*\\d[A-Z0-9.-]*)$`)
