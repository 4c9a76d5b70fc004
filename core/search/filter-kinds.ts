import type { Filter, FilterValues } from '../../contract/filters.ts'
import { rewrittenCodeTypes } from '../../contract/texts/code-types.ts'
import { normaliseBillingCode } from '../../contract/texts/written-code.ts'
import { restoreEin } from '../catalogue/plan-id.ts'
import { searchedBillingCode } from './billing-code.ts'
import { distinct, isIn, literal } from './sql.ts'

/** The way in which values of a kind are compared. */
interface KindOfValues {
  /** Converts a valid text of a request to the form in which it is compared. */
  readonly normalise: (text: string) => string
  /** Writes the condition that a row has one of the values. */
  readonly condition: (column: string, values: readonly string[]) => string
}

const compareTexts = (column: string, values: readonly string[]) => isIn(column, values.map(literal))

const kinds: Readonly<Record<Filter['kind'], KindOfValues>> = {
  npi: { normalise: (text) => text, condition: (column, values) => isIn(column, values) },
  tin: {
    // Publishers write an EIN with its hyphen and without, and drop its zeros.
    normalise: (text) => restoreEin(text.replaceAll('-', '')),
    condition: (column, values) => compareTexts(column, distinct(values.flatMap(listTinForms))),
  },
  code: { normalise: normaliseBillingCode, condition: matchCodes },
  name: {
    normalise: (text) => text,
    condition: (column, values) => `arrays_overlap(${column}, ${listLiteral(values)})`,
  },
  listed: { normalise: (text) => text.toUpperCase(), condition: compareTexts },
}

/** Returns the values of a filter in canonical form: each once, sorted. */
export function canonicalValues({ kind }: Filter, values: FilterValues): FilterValues {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length > 0) return [...new Set(numbers)].sort((a, b) => a - b)
  return [...new Set(values.map((value) => kinds[kind].normalise(String(value))))].sort()
}

/** Writes the condition that a row has one of the values of a filter. */
export const conditionOf = ({ kind, column }: Filter, values: FilterValues): string =>
  kinds[kind].condition(column, values.map(String))

/** Writes a list of texts in SQL. */
export const listLiteral = (values: readonly string[]) => `ARRAY[${values.map(literal).join(', ')}]`

/**
 * Lists the forms in which rows can have a TIN of a request: with all leading zeros, and with fewer, as own relations
 * may write an EIN, loads of earlier versions did, and TINs of other types may be.
 */
export const listTinForms = (tin: string): readonly string[] =>
  Array.from({ length: (/^0*/.exec(tin)?.[0].length ?? 0) + 1 }, (_, zeros) => tin.slice(zeros)).filter(
    (form) => form !== '',
  )

/**
 * A code matches in every code type by that type's canonical form. Rows have only canonical forms, so one comparison
 * with the requested code covers most types, and a type that rewrites codes gets its own.
 */
function matchCodes(column: string, codes: readonly string[]): string {
  const rewritten = rewrittenCodeTypes.flatMap((type) => {
    const forms = codes.map((code) => searchedBillingCode(type, code)).filter((form, index) => form !== codes[index])
    if (forms.length === 0) return []
    return [`(billing_code_type = ${literal(type)} AND ${compareTexts(column, distinct(forms))})`]
  })
  return `(${[compareTexts(column, codes), ...rewritten].join('\n    OR ')})`
}
