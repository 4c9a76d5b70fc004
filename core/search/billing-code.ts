import { codeTypes, foldedCodeTypes, toCanonicalForm, toLoadedForm } from '../../contract/texts/code-types.ts'
import { normaliseBillingCode } from '../../contract/texts/written-code.ts'

/** Payers write the same code in several ways; searches and the loader compare the canonical form of its type. */

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
