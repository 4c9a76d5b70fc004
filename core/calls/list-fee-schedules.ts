import { feeSchedulePages } from '../../contract/limits.ts'
import type { CatalogueEntryBody, Fault, FeeSchedulesBody } from '../../contract/search-api.ts'
import { type Authorize, authorize } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import type { CatalogueEntry, ShownContent } from '../catalogue/catalogue-entry.ts'
import { completeNames, isPlaceOf, type NamePlace } from '../catalogue/complete-names.ts'
import { findNameFault, normaliseName } from '../catalogue/fee-schedule.ts'
import { listSearchable } from '../catalogue/list-catalogue.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { InvalidRequest } from '../errors.ts'
import { readCursor, writeCursor } from '../paging/cursor.ts'
import { findUnknownParameters, type Parameters, readLimit } from '../paging/page-query.ts'
import { showValue } from '../search/show-value.ts'

export interface ListFeeSchedules extends Authorize {
  readonly catalogue: Catalogue
}

interface Query {
  readonly payer?: string
  readonly q?: string
  readonly limit: number
  readonly after?: NamePlace
}

/**
 * Lists the fee schedules that can be searched, page by page, grouped by payer and ordered by plan. With `q`, only those
 * whose payer or plan begins with it, ignoring case; with `q` and `payer`, only that payer's plans that do.
 *
 * @param parameters the query string: `payer`, `q`, `limit`, `cursor`
 * @throws Unauthorized, Forbidden, InvalidRequest naming every fault
 */
export async function listFeeSchedules(
  deps: ListFeeSchedules,
  key: PresentedKey,
  parameters: Parameters,
): Promise<FeeSchedulesBody> {
  await authorize(deps, key, await deps.access.readAccess(key))
  const query = parseQuery(parameters)
  const { items, next } = await readPage(deps.catalogue, query)
  const cursor = next && writeCursor(scopeOf(query), [next.by, next.name.payer, next.name.plan, next.variant ?? ''])
  return { fee_schedules: items.map(describeEntry), next_cursor: cursor ?? null }
}

async function readPage(catalogue: Catalogue, { q, payer, limit, after }: Query) {
  const filter = { limit, ...(payer !== undefined && { payer }) }
  if (q !== undefined) return completeNames(catalogue, { ...filter, q, ...(after && { after }) })
  const { items, next } = await listSearchable(catalogue, { ...filter, ...(after && { after: after.name }) })
  const place: NamePlace | undefined = next && { by: 'payer', name: next }
  return { items, ...(place && { next: place }) }
}

function describeEntry({ payer, plan, state }: CatalogueEntry): CatalogueEntryBody {
  const shown: ShownContent = 'planIds' in state ? state : { planIds: [], planIdCount: 0, partial: false }
  return {
    payer,
    plan,
    plan_ids: shown.planIds,
    plan_id_count: shown.planIdCount,
    last_updated_on: shown.lastUpdatedOn ?? null,
    partial: shown.partial,
  }
}

function parseQuery(parameters: Parameters): Query {
  const faults: Fault[] = [...findUnknownParameters(parameters, ['payer', 'q', 'limit', 'cursor'])]
  const readName = (name: 'payer' | 'q') => {
    const value = parameters[name]
    const fault = value === undefined ? undefined : findNameFault(value)
    if (fault !== undefined) faults.push({ path: name, message: `${fault}; got ${showValue(value)}` })
    return value === undefined ? {} : { [name]: normaliseName(value) }
  }
  const filter: Pick<Query, 'payer' | 'q'> = { ...readName('payer'), ...readName('q') }
  const limit = readLimit(parameters, feeSchedulePages, faults)
  const { cursor } = parameters
  const after = cursor === undefined ? undefined : readPlace(filter, cursor)
  if (cursor !== undefined && after === undefined) {
    const message = `must be the next_cursor of a page with the same payer and q; got ${showValue(cursor)}`
    faults.push({ path: 'cursor', message })
  }
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { ...filter, limit, ...(after && { after }) }
}

const scopeOf = ({ payer, q }: Pick<Query, 'payer' | 'q'>) => ['fee-schedules', payer ?? null, q ?? null]

function readPlace(filter: Pick<Query, 'payer' | 'q'>, cursor: string): NamePlace | undefined {
  const [by, payer = '', plan = '', variant = '', ...rest] = readCursor(scopeOf(filter), cursor) ?? []
  if ((by !== 'payer' && by !== 'plan') || rest.length > 0) return undefined
  // A position among another payer's plans is not in this list.
  if (filter.payer !== undefined && payer !== filter.payer) return undefined
  if (findNameFault(payer) ?? findNameFault(plan) ?? (variant === '' ? undefined : findNameFault(variant)))
    return undefined
  const place: NamePlace = { by, name: { payer, plan }, ...(variant !== '' && { variant }) }
  const { q, ...ofPayer } = filter
  return q === undefined || isPlaceOf({ q, ...ofPayer }, place) ? place : undefined
}
