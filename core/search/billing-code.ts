import { maxBillingCodeLength } from '../../contract/limits.ts'
import { at } from '../../schema/at.ts'
import { findTextFault } from '../catalogue/fee-schedule.ts'
import { composeText } from '../compose-text.ts'
import { showValue } from './show-value.ts'

/**
 * Billing codes are text, never numbers: leading zeros carry meaning (00100 anaesthesia, 0200 a revenue code, 001 a
 * DRG).
 * Payers write the same code in several ways; searches and the loader compare the canonical form of its type.
 */

/** The code sets that payers write in several ways. Codes of all other types stay as written. */
const canonicalForms: Readonly<Record<string, (code: string) => string>> = {
  // Revenue codes have four digits (NUBC) and MS-DRGs three (CMS); files drop leading zeros or add some.
  RC: (code) => setDigits(code, 4),
  'MS-DRG': (code) => setDigits(code, 3),
  // ICD codes are the same with and without the dot (81.54, 8154).
  ICD: (code) => (/^[A-Z0-9]+\.[A-Z0-9]+$/.test(code) ? code.replace('.', '') : code),
  NDC: canonicalNdc,
}

/** The code types whose canonical form may differ from the code as written. */
export const rewrittenCodeTypes: readonly string[] = Object.keys(canonicalForms)

/**
 * Trims a code and converts it to upper case, for all types. Composed again at the end, because upper case decomposes
 * some letters.
 */
export function normaliseBillingCode(code: string): string {
  return composeText(composeText(code.trim()).toUpperCase())
}

/**
 * Converts a code to the canonical form of its type.
 *
 * @param type a billing code type in upper case (CMS schema, `billing_code_type`)
 * @param code a code as published or requested
 */
export function canonicalBillingCode(type: string, code: string): string {
  const normal = normaliseBillingCode(code)
  return canonicalForms[type]?.(normal) ?? normal
}

/** Adds or removes leading zeros of a number until it has this many digits; other codes are unchanged. */
function setDigits(code: string, digits: number): string {
  return /^\d+$/.test(code) ? code.replace(/^0+/, '').padStart(digits, '0') : code
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

/** Hyphenated national drug codes are labeller-product-package; the 11 digits are these three padded to 5, 4 and 2. */
function canonicalNdc(code: string): string {
  // 4-4-2, 5-3-2 and 5-4-1 have ten digits, 5-4-2 has eleven; any other split is not a drug code.
  if (!/^(\d{4}-\d{4}-\d{2}|\d{5}-\d{3}-\d{2}|\d{5}-\d{4}-\d{1,2})$/.test(code)) return code
  const digits = [5, 4, 2]
  return code
    .split('-')
    .map((part, index) => part.padStart(at(digits, index), '0'))
    .join('')
}

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
const typedCode =
  /^(?:CPT|HCPCS|CDT|NDC|RC|REV|HIPPS|APC|EAPG|ICD(?:-?10)?(?:-?(?:CM|PCS))?|(?:(?:MS|R|S|APS|AP|APR)-?)?DRG)[\s:#-]+([A-Z0-9.-]*\d[A-Z0-9.-]*)$/
