import { toLoadedForm } from '../../contract/texts/code-types.ts'
import { normaliseBillingCode } from '../../contract/texts/written-code.ts'
import type { FindingRule } from './findings.ts'
import type { PublishedObject } from './published-object.ts'
import { type ListedValue, readListedValue } from './values/known-values.ts'

/** A billing code as published. */
export interface BillingCode {
  readonly type: string
  readonly version: string | undefined
  readonly code: string
}

/** A billing code in the canonical form, in which searches compare codes. */
export interface CanonicalCode {
  readonly type: ListedValue
  readonly code: string
}

/** The fields of a code, both of an item and of a service in its bundle. */
export const codeFields = ['billing_code_type', 'billing_code_type_version', 'billing_code', 'description']
const containedFields: ReadonlySet<string> = new Set(codeFields)
const none: readonly string[] = []

/** Reads the code of an item, or of a service in its bundle. Counts missing fields. */
export function readBillingCode(object: PublishedObject, rule: FindingRule): BillingCode | undefined {
  const type = object.text('billing_code_type')
  if (type === undefined) return object.count(rule, 'billing_code_type')
  const code = object.text('billing_code') ?? object.digits('billing_code')
  if (code === undefined) return object.count(rule, 'billing_code')
  return { type, version: object.optionalText('billing_code_type_version'), code }
}

/** Converts a code to canonical form, with its type as the schema writes it. */
export function readCanonicalCode({ type: text, code }: BillingCode): CanonicalCode {
  const type = readListedValue('billing_code_type', text)
  return { type, code: toLoadedForm(type.value, normaliseBillingCode(code)) }
}

/** Returns the codes of a bundle or of covered services, each as one text: `type|version|code`. */
export function readContainedCodes(item: PublishedObject, field: string): readonly string[] {
  if (!item.has(field)) return none
  const codes = [...item.optionalObjects(field, 'unfit-code')]
  for (const code of codes) code?.countUnknown(containedFields)
  return codes.flatMap((code) => (code && readBillingCode(code, 'unfit-code')) ?? []).map(formatContainedCode)
}

function formatContainedCode(contained: BillingCode): string {
  const { type, code } = readCanonicalCode(contained)
  return [type.value, (contained.version ?? '').trim(), code].join('|')
}
