import { canonicalBillingCode } from '../../core/search/billing-code.ts'
import type { BillingCode } from './in-network-file.ts'
import type { ListedValue } from './known-values.ts'
import { readListedValue } from './known-values.ts'

/** A billing code in the form that searches compare. */
export interface CanonicalCode {
  readonly type: ListedValue
  readonly code: string
}

/** Digits of the codes that lose leading zeros as a number and do not get them back in their canonical form. */
const digitsOfType: Readonly<Record<string, number>> = { CPT: 5 }

export function readCanonicalCode({ type: text, code, isNumber }: BillingCode): CanonicalCode {
  const type = readListedValue('billing_code_type', text)
  const digits = isNumber ? (digitsOfType[type.value] ?? 0) : 0
  return { type, code: canonicalBillingCode(type.value, code.padStart(digits, '0')) }
}

/** A code of a bundle or a covered service as one text: `type|version|code`. */
export function formatContainedCode(contained: BillingCode): string {
  const { type, code } = readCanonicalCode(contained)
  return [type.value, (contained.version ?? '').trim(), code].join('|')
}
