import { collectLists, type FilterLists, valuesOf } from '../../contract/filters.ts'
import { rewrittenCodeTypes } from '../../contract/texts/code-types.ts'
import { at } from '../../schema/at.ts'
import { searchedBillingCode } from './billing-code.ts'
import { listTinForms } from './filter-kinds.ts'
import type { SearchRequest } from './search-request.ts'

/** The values of a column in a row group of a shard. */
export interface ColumnChunk {
  readonly column: string
  /** Number of uncompressed bytes that must be read to know its values. */
  readonly bytes: number
  /** Its distinct values as text, without nulls; undefined if they cannot be decoded. */
  readonly read: () => Promise<ReadonlySet<string> | undefined>
}

/** The distinct values of a result's column as text; undefined if they are not known. */
export type ReadColumn = (
  column: 'npi' | 'tin_value' | 'billing_code' | 'billing_code_type',
) => Promise<ReadonlySet<string> | undefined>

/**
 * Finds which values of a request's lists no row of its result has. A row with a value that the request does not list
 * means that the relation compares differently from this code, and then the answer is unknown.
 *
 * @returns a bit for each NPI, TIN and billing code in turn, 1 if no row has it; undefined if that is not known
 */
export async function findWithoutRows(request: SearchRequest, read: ReadColumn): Promise<Uint8Array | undefined> {
  const { npis = [], tins = [], billingCodes = [] } = request
  const npiFlags = await flagValues(
    npis.map((npi) => [String(npi)]),
    'npi',
    read,
  )
  const tinFlags = await flagValues(tins.map(listTinForms), 'tin_value', read)
  const codeFlags = await flagCodes(billingCodes, read)
  if (npiFlags === undefined || tinFlags === undefined || codeFlags === undefined) return undefined
  const flags = [...npiFlags, ...tinFlags, ...codeFlags]
  const bits = new Uint8Array(Math.ceil(flags.length / 8))
  for (const [position, hasRows] of flags.entries())
    if (!hasRows) bits[position >> 3] = at(bits, position >> 3) | (1 << (position & 7))
  return bits
}

/** Takes from a request's lists the values that no row has. */
export function listWithoutRows(request: SearchRequest, bits: Uint8Array): FilterLists {
  let position = 0
  const isListed = () => (at(bits, position >> 3) >> (position++ & 7)) % 2 === 1
  return collectLists((filter) => {
    const values = filter.isCheckedForRows ? valuesOf(request, filter) : undefined
    if (values === undefined) return undefined
    return filter.kind === 'npi' ? request.npis?.filter(isListed) : values.map(String).filter(isListed)
  })
}

/** For each value of a list true if a row has it; undefined if that is not known. */
type Flags = readonly boolean[] | undefined

/** @param list the forms in which rows can have each value */
async function flagValues(
  list: readonly (readonly string[])[],
  column: 'npi' | 'tin_value',
  read: ReadColumn,
): Promise<Flags> {
  const values = list.length === 0 ? new Set<string>() : await read(column)
  return values?.isSubsetOf(new Set(list.flat()))
    ? list.map((forms) => forms.some((form) => values.has(form)))
    : undefined
}

/**
 * A search finds a code in the form of another type (`billingCodeCondition` in statement.ts), but another code of the
 * request may also be the reason for a row with that form. Only the types of the whole result tell the two apart.
 */
async function flagCodes(codes: readonly string[], read: ReadColumn): Promise<Flags> {
  if (codes.length === 0) return []
  const values = await read('billing_code')
  const formOf = (type: string, code: string) => {
    const form = searchedBillingCode(type, code)
    return form !== code && values?.has(form) ? [{ code, type, form }] : []
  }
  const forms = codes.flatMap((code) => rewrittenCodeTypes.flatMap((type) => formOf(type, code)))
  const types = forms.length === 0 ? new Set<string>() : await read('billing_code_type')
  if (values === undefined || types === undefined) return undefined
  const requestedCodes = new Set(codes)
  const typesOf = Map.groupBy(forms, ({ form }) => form)
  if (![...values].every((value) => requestedCodes.has(value) || typesOf.has(value))) return undefined
  /** The types that rows with a form can have. A form that the request lists itself may have any type, or none. */
  const possible = (form: string) =>
    requestedCodes.has(form)
      ? types.union(new Set(['']))
      : types.intersection(new Set(typesOf.get(form)?.map((one) => one.type)))
  const formsOf = Map.groupBy(forms, ({ code }) => code)
  const flags = codes.map((code) => {
    if (values.has(code)) return true
    const answers = [...Map.groupBy(formsOf.get(code) ?? [], ({ form }) => form)].map(([form, members]) => {
      const typesOfCode = new Set(members.map(({ type }) => type))
      if (possible(form).isSubsetOf(typesOfCode)) return true
      return possible(form).isDisjointFrom(typesOfCode) ? false : undefined
    })
    return answers.includes(true) || (answers.includes(undefined) ? undefined : false)
  })
  const definite = flags.filter((flag) => flag !== undefined)
  return definite.length === flags.length ? definite : undefined
}
