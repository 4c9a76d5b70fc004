import { codeTypes } from '../../../contract/texts/code-types.ts'
import { foldWhiteSpace } from '../../../contract/texts/compose-text.ts'
import type { PublishedUnit } from '../../../schema/columns/column-record.ts'
import type { ColumnsOf } from '../../../schema/columns/rates.ts'

/** The columns for which the schema lists values, and the fields with such a list that are read by themselves. */
type Listed = ColumnsOf<PublishedUnit, 'word'> | 'billing_code_type' | 'type'

/**
 * The values that the schemas 1.x and 2.x list. Others are loaded as published and counted: a search must not lose a
 * rate over a word. Source: CMS schema, in-network-rates.json.
 */
const listedValues = {
  billing_code_type: Object.keys(codeTypes),
  negotiation_arrangement: ['ffs', 'bundle', 'capitation'],
  negotiated_type: ['negotiated', 'derived', 'fee schedule', 'percentage', 'per diem'],
  billing_class: ['professional', 'institutional', 'both'],
  setting: ['inpatient', 'outpatient', 'both'],
  type: ['ein', 'npi'],
} satisfies Record<Listed, readonly string[]>

/** The types of TINs that the schemas list. */
export const tinTypes: readonly string[] = listedValues.type

/** A field for which the schema lists values; `type` is the type of a TIN. */
export type ListedField = keyof typeof listedValues

export interface ListedValue {
  readonly value: string
  readonly finding: 'folded-value' | 'unknown-value' | undefined
}

/**
 * By field, the listed values by their folded text, and by their own text, which is most common and needs no folding.
 */
const valuesOfField: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(listedValues).map(([field, values]) => [
    field,
    new Map(values.flatMap((value) => [[value, value] as const, [fold(value), value] as const])),
  ]),
)

export const isListedField = (field: string): field is ListedField => valuesOfField.has(field)

/**
 * Reads a value of a field for which the schema lists values, ignoring case, spaces and hyphens.
 *
 * @returns the value as the schema writes it, or as published if it is unknown; an unknown billing code type in upper
 *   case
 */
export function readListedValue(field: ListedField, text: string): ListedValue {
  const values = valuesOfField.get(field)
  if (values === undefined) throw new Error(`no values are listed for ${field}`)
  const value = values.get(text) ?? values.get(fold(text))
  if (value !== undefined) return { value, finding: value === text ? undefined : 'folded-value' }
  return { value: field === 'billing_code_type' ? foldWhiteSpace(text).toUpperCase() : text, finding: 'unknown-value' }
}

function fold(text: string): string {
  return foldWhiteSpace(text).toLowerCase().replace(/[ -]/g, '')
}
