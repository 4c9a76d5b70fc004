import { at } from '../../schema/at.ts'
import { rewrittenCodeTypes, searchedBillingCode } from './billing-code.ts'
import type { SearchRequest } from './search-request.ts'

/** The lists of a request whose values can be without rows. */
export type Filters = Pick<SearchRequest, 'npis' | 'tins' | 'billingCodes'>

/** The values of a column in a row group of a shard. */
export interface ColumnChunk {
  readonly column: string
  /** Number of bytes, uncompressed, that tell its values. */
  readonly bytes: number
  /** Its distinct values as text, without nulls; undefined if they cannot be decoded. */
  readonly read: () => Promise<ReadonlySet<string> | undefined>
}

/** The distinct values of a result's column as text; undefined if they are not known. */
export type ReadColumn = (
  column: 'npi' | 'tin_value' | 'billing_code' | 'billing_code_type',
) => Promise<ReadonlySet<string> | undefined>

/**
 * Finds which values of a request's lists no row of its result has. A value that was not asked for means that the
 * relation compares otherwise than this code does, and then nothing is said.
 *
 * @returns a bit for each NPI, TIN and billing code in turn, 1 if no row has it; undefined if that is not known
 */
export async function findWithoutRows(request: SearchRequest, read: ReadColumn): Promise<Uint8Array | undefined> {
  const { npis = [], tins = [], billingCodes = [] } = request
  const found = [await findListed(npis, 'npi', read), await findListed(tins, 'tin_value', read)]
  const flags = [...found, await findCodes(billingCodes, read)]
  const known = flags.flatMap((each) => each ?? [])
  if (flags.includes(undefined)) return undefined
  const bits = new Uint8Array(Math.ceil(known.length / 8))
  for (const [place, hasRows] of known.entries())
    if (!hasRows) bits[place >> 3] = at(bits, place >> 3) | (1 << (place & 7))
  return bits
}

/** Takes from a request's lists the values that no row has. */
export function listWithoutRows({ npis, tins, billingCodes }: SearchRequest, bits: Uint8Array): Filters {
  let place = 0
  const isMarked = () => (at(bits, place >> 3) >> (place++ & 7)) % 2 === 1
  return {
    ...(npis && { npis: npis.filter(isMarked) }),
    ...(tins && { tins: tins.filter(isMarked) }),
    ...(billingCodes && { billingCodes: billingCodes.filter(isMarked) }),
  }
}

type Flags = readonly boolean[] | undefined

async function findListed(
  list: readonly (number | string)[],
  column: 'npi' | 'tin_value',
  read: ReadColumn,
): Promise<Flags> {
  const values = list.length === 0 ? new Set<string>() : await read(column)
  const wanted = list.map(String)
  return values?.isSubsetOf(new Set(wanted)) ? wanted.map((value) => values.has(value)) : undefined
}

/**
 * A code can be found in the form of another type (`billingCodeCondition` in statement.ts), and rows with that form can
 * have been found for another reason. Only the types of the whole result tell the two apart.
 */
async function findCodes(codes: readonly string[], read: ReadColumn): Promise<Flags> {
  if (codes.length === 0) return []
  const values = await read('billing_code')
  const formOf = (type: string, code: string) => {
    const form = searchedBillingCode(type, code)
    return form !== code && values?.has(form) ? [{ code, type, form }] : []
  }
  const forms = codes.flatMap((code) => rewrittenCodeTypes.flatMap((type) => formOf(type, code)))
  const types = forms.length === 0 ? new Set<string>() : await read('billing_code_type')
  if (values === undefined || types === undefined) return undefined
  const asked = new Set(codes)
  const typesOf = Map.groupBy(forms, ({ form }) => form)
  if (![...values].every((value) => asked.has(value) || typesOf.has(value))) return undefined
  /** The types that rows with a form can have; of a form that was asked for itself any, or none. */
  const possible = (form: string) =>
    asked.has(form)
      ? types.union(new Set(['']))
      : types.intersection(new Set(typesOf.get(form)?.map((one) => one.type)))
  const formsOf = Map.groupBy(forms, ({ code }) => code)
  const flags = codes.map((code) => {
    if (values.has(code)) return true
    const found = [...Map.groupBy(formsOf.get(code) ?? [], ({ form }) => form)].map(([form, of]) => {
      const own = new Set(of.map(({ type }) => type))
      if (possible(form).isSubsetOf(own)) return true
      return possible(form).isDisjointFrom(own) ? false : undefined
    })
    return found.includes(true) || (found.includes(undefined) ? undefined : false)
  })
  const known = flags.filter((flag) => flag !== undefined)
  return known.length === flags.length ? known : undefined
}
