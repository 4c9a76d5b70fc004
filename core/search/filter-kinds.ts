import type { Filter, FilterValues } from '../../contract/filters.ts'
import { maxNameLength } from '../../contract/limits.ts'
import { isNpi, writtenTin } from '../../contract/provider-ids.ts'
import type { Fault } from '../../contract/search-api.ts'
import { rewrittenCodeTypes } from '../../contract/texts/code-types.ts'
import { findTextFault } from '../../contract/texts/names.ts'
import { showValue } from '../../contract/texts/show-value.ts'
import { findBillingCodeFault, normaliseBillingCode } from '../../contract/texts/written-code.ts'
import { restoreEin } from '../catalogue/plan-id.ts'
import { searchedBillingCode } from './billing-code.ts'
import { refuse } from './parsing/request-fields.ts'
import { distinct, isIn, literal } from './sql.ts'

/** Parses a value of a request. Adds a fault and returns undefined if it is invalid. */
export type ParseItem<Item> = (value: unknown, path: string, faults: Fault[]) => Item | undefined

/** The way in which values of a kind are read and compared. */
interface KindOfValues {
  /** Makes the parser of one value, which returns its canonical form. */
  readonly parser: (filter: Filter) => ParseItem<number | string>
  /** Writes the condition that a row has one of the values. */
  readonly condition: (column: string, values: readonly string[]) => string
}

const compareTexts = (column: string, values: readonly string[]) => isIn(column, values.map(literal))

const kinds: Readonly<Record<Filter['kind'], KindOfValues>> = {
  npi: { parser: () => parseNpi, condition: (column, values) => isIn(column, values) },
  tin: {
    parser: () => parseTin,
    condition: (column, values) => compareTexts(column, distinct(values.flatMap(listTinForms))),
  },
  code: { parser: () => parseBillingCode, condition: matchCodes },
  name: {
    parser: ({ rule }) => parseText('must be a string', findNameFault(rule), (text) => text),
    condition: (column, values) => `arrays_overlap(${column}, ${listLiteral(values)})`,
  },
  listed: { parser: parseListed, condition: compareTexts },
}

/** Returns the parser of one value of a filter. */
export const parserOf = (filter: Filter): ParseItem<number | string> => kinds[filter.kind].parser(filter)

/** Writes the condition that a row has one of the values of a filter. */
export const conditionOf = ({ kind, column }: Filter, values: FilterValues): string =>
  kinds[kind].condition(column, values.map(String))

/** Writes a list of texts in SQL. */
export const listLiteral = (values: readonly string[]) => `ARRAY[${values.map(literal).join(', ')}]`

function parseNpi(value: unknown, path: string, faults: Fault[]): number | undefined {
  if (typeof value === 'number' && isNpi(value)) return value
  const rule = 'must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN'
  return refuse(faults, path, `${rule}; not ${showValue(value)}`)
}

/** Makes a parser of texts that returns their canonical form. */
export const parseText =
  (
    notText: string,
    findFault: (text: string) => string | undefined,
    normalise: (text: string) => string,
  ): ParseItem<string> =>
  (value, path, faults) => {
    const fault = typeof value === 'string' ? findFault(value) : notText
    if (typeof value === 'string' && fault === undefined) return normalise(value)
    return refuse(faults, path, value === undefined ? 'is required' : `${fault}; got ${showValue(value)}`)
  }

const mattersAsText = '(leading zeros carry meaning)'

export const mustBeText = `must be a string ${mattersAsText}`

/** TINs are compared as their digits; publishers write an EIN with its hyphen and without, and drop its zeros. */
const parseTin = parseText(
  mustBeText,
  (text) => (writtenTin.test(text) ? undefined : `must be a TIN of 2 to 20 digits and hyphens ${mattersAsText}`),
  (text) => restoreEin(text.replaceAll('-', '')),
)

const parseBillingCode = parseText(mustBeText, findBillingCodeFault, normaliseBillingCode)

function parseListed({ written, rule }: Filter): ParseItem<string> {
  const fault = `must be ${rule}, as a string`
  const findFault = (text: string) => (written.test(text) ? undefined : fault)
  return parseText(fault, findFault, (text) => text.toUpperCase())
}

/** Names are compared as they are published, so they are not normalised. */
const findNameFault = (rule: string) => (text: string) =>
  findTextFault(text) ??
  (text.trim() !== '' && Array.from(text).length <= maxNameLength
    ? undefined
    : `must be ${rule}, of 1 to ${maxNameLength} characters`)

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
