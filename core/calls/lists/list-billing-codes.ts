import { billingCodePages, maxBillingCodeLength } from '../../../contract/limits.ts'
import { effectOf } from '../../../contract/routes.ts'
import type { BillingCodesBody, Fault } from '../../../contract/search-api.ts'
import { findNameFault, normaliseName } from '../../../contract/texts/names.ts'
import { normaliseBillingCode } from '../../../contract/texts/written-code.ts'
import { type Authorize, authorizeKey } from '../../access/access.ts'
import type { PresentedKey } from '../../access/api-key.ts'
import { InvalidRequest } from '../../errors.ts'
import { type ListScope, writeCursor } from '../../paging/cursor.ts'
import { type Parameters, readLimit, readPosition, readText } from '../../paging/page-query.ts'
import type { CodeQuery, FindBillingCodes } from '../../vocabulary/find-billing-codes.ts'
import { splitWords } from '../../words.ts'
import { type CountReads, countRead } from '../count-read.ts'

export interface ListBillingCodes extends Authorize, CountReads {
  readonly findBillingCodes: FindBillingCodes
}

/**
 * Lists the billing codes that words of their names or the beginning of the code find, page by page.
 *
 * @param parameters the query string: `q`, `billing_code_type`, `limit`, `cursor`
 * @throws Unauthorized, Forbidden, RateLimited, InvalidRequest naming every fault
 */
export async function listBillingCodes(
  deps: ListBillingCodes,
  key: PresentedKey,
  parameters: Parameters,
): Promise<BillingCodesBody> {
  const caller = await authorizeKey(deps, key, effectOf('list-billing-codes'))
  const { query, scope } = parseQuery(parameters)
  await countRead(deps, caller)
  const { items, next } = await deps.findBillingCodes(query)
  return {
    billing_codes: items.map(({ type, code, name, payers }) => ({
      billing_code_type: type,
      billing_code: code,
      name,
      publisher_count: payers,
    })),
    next_cursor: next === undefined ? null : writeCursor(scope, [next.type, next.code]),
  }
}

function parseQuery(parameters: Parameters): { readonly query: CodeQuery; readonly scope: ListScope } {
  const faults: Fault[] = []
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
  const after = readPosition(parameters, { scope, parse: parsePosition }, faults)
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { query: { q, ...(type !== undefined && { type }), limit, ...(after && { after }) }, scope }
}

const parsePosition = ([type, code, ...more]: readonly string[]) =>
  type === undefined || code === undefined || more.length > 0 ? undefined : { type, code }

const findWordsFault = (q: string): string | undefined =>
  findNameFault(q) ?? (canLookUp(q) ? undefined : 'must have a word or code of two letters or digits')

const canLookUp = (q: string) => q.split(/\s+/u).some((typed) => splitWords(typed).join('').length > 1)

const findTypeFault = (type: string): string | undefined =>
  findNameFault(type) ??
  (type.length > maxBillingCodeLength ? `must have at most ${maxBillingCodeLength} characters` : undefined)
