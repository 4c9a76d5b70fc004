import { billingCodePages, maxBillingCodeLength } from '../../../contract/limits.ts'
import { effectOf } from '../../../contract/routes.ts'
import type { BillingCodesBody, Fault } from '../../../contract/search-api.ts'
import { type Authorize, authorizeKey } from '../../access/access.ts'
import type { PresentedKey } from '../../access/api-key.ts'
import { findNameFault, normaliseName } from '../../catalogue/fee-schedule.ts'
import { InvalidRequest } from '../../errors.ts'
import { type ListScope, writeCursor } from '../../paging/cursor.ts'
import { findUnknownParameters, type Parameters, readLimit, readPlace, readText } from '../../paging/page-query.ts'
import { normaliseBillingCode } from '../../search/billing-code.ts'
import { termsOf } from '../../vocabulary/code-terms.ts'
import { type CodeQuery, canLookUp, findBillingCodes } from '../../vocabulary/find-billing-codes.ts'
import type { CodeNames } from '../../vocabulary/ports.ts'

export interface ListBillingCodes extends Authorize {
  readonly codeNames: CodeNames
}

/**
 * Lists the billing codes that words of their names or the beginning of the code find, page by page.
 *
 * @param parameters the query string: `q`, `billing_code_type`, `limit`, `cursor`
 * @throws Unauthorized, Forbidden, InvalidRequest naming every fault
 */
export async function listBillingCodes(
  deps: ListBillingCodes,
  key: PresentedKey,
  parameters: Parameters,
): Promise<BillingCodesBody> {
  await authorizeKey(deps, key, effectOf('list-billing-codes'))
  const { query, scope } = parseQuery(parameters)
  const { items, next } = await findBillingCodes(deps.codeNames, query)
  return {
    billing_codes: items.map(({ type, code, name, publishers }) => ({
      billing_code_type: type,
      billing_code: code,
      name,
      publisher_count: publishers,
    })),
    next_cursor: next === undefined ? null : writeCursor(scope, [next.type, next.code]),
  }
}

function parseQuery(parameters: Parameters): { readonly query: CodeQuery; readonly scope: ListScope } {
  const faults: Fault[] = [...findUnknownParameters(parameters, ['q', 'billing_code_type', 'limit', 'cursor'])]
  if (parameters['q'] === undefined) faults.push({ path: 'q', message: 'is required' })
  const q = readText(parameters, 'q', { findFault: findWordsFault }, faults) ?? ''
  const type = readText(
    parameters,
    'billing_code_type',
    { findFault: findTypeFault, normalise: (text) => normaliseBillingCode(normaliseName(text)) },
    faults,
  )
  const limit = readLimit(parameters, billingCodePages, faults)
  const scope = ['billing-codes', q, type ?? null]
  const after = readPlace(parameters, { scope, parse: parsePlace }, faults)
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { query: { terms: termsOf(q), ...(type !== undefined && { type }), limit, ...(after && { after }) }, scope }
}

const parsePlace = ([type, code, ...more]: readonly string[]) =>
  type === undefined || code === undefined || more.length > 0 ? undefined : { type, code }

const findWordsFault = (q: string): string | undefined =>
  findNameFault(q) ?? (canLookUp(termsOf(q)) ? undefined : 'must have a word or code of two letters or digits')

const findTypeFault = (type: string): string | undefined =>
  findNameFault(type) ??
  (type.length > maxBillingCodeLength ? `must have at most ${maxBillingCodeLength} characters` : undefined)
