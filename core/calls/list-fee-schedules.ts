import { feeSchedulePages, marketTypes } from '../../contract/limits.ts'
import type { CatalogueEntryBody, Fault, FeeSchedulesBody } from '../../contract/search-api.ts'
import { type Authorize, authorize } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import type { CatalogueEntry, ShownContent } from '../catalogue/catalogue-entry.ts'
import { findNameFault, normaliseName } from '../catalogue/fee-schedule.ts'
import { type FeeScheduleQuery, findFeeSchedules, type ListPlace } from '../catalogue/finding/find-fee-schedules.ts'
import { type FeeScheduleFilters, wordsOf } from '../catalogue/finding/look-up-words.ts'
import { firstKeptDay, listChangeDays } from '../catalogue/history.ts'
import { findSearchedPlanIdFault, readSearchedPlanId } from '../catalogue/plan-id.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { InvalidRequest } from '../errors.ts'
import { type OpenServed, openServed } from '../own-relation/open-rates.ts'
import { readCursor, writeCursor } from '../paging/cursor.ts'
import { cursorFault, findUnknownParameters, type Parameters, readLimit } from '../paging/page-query.ts'
import { showValue } from '../search/show-value.ts'

export interface ListFeeSchedules extends Authorize, OpenServed {
  readonly catalogue: Catalogue
}

/**
 * Lists the fee schedules that can be searched and match all filters, page by page, grouped by payer and ordered by
 * plan.
 *
 * @param parameters the query string: `payer`, `q`, `plan_id`, `sponsor`, `market`, `limit`, `cursor`
 * @throws Unauthorized, Forbidden, InvalidRequest naming every fault
 */
export async function listFeeSchedules(
  deps: ListFeeSchedules,
  key: PresentedKey,
  parameters: Parameters,
): Promise<FeeSchedulesBody> {
  await authorize(deps, key, await deps.access.readAccess(key))
  const query = parseQuery(parameters)
  const { items, next } = await findFeeSchedules(deps.catalogue, query)
  const cursor = next && writeCursor(scopeOf(query), [next.payer, next.plan, next.variant ?? ''])
  const [keptDays, providerLists] = await Promise.all([
    deps.catalogue.readKeptDays(),
    openServed(deps).listProviderLists(),
  ])
  const firstDay = firstKeptDay(keptDays, deps.now())
  return {
    fee_schedules: items.map((entry) => describeEntry(entry, firstDay)),
    provider_lists: providerLists,
    next_cursor: cursor ?? null,
  }
}

function describeEntry(entry: CatalogueEntry, firstDay: string): CatalogueEntryBody {
  const { payer, plan, state } = entry
  const shown: ShownContent = 'planIds' in state ? state : { planIds: [], planIdCount: 0, partial: false }
  return {
    payer,
    plan,
    plan_ids: shown.planIds,
    plan_id_count: shown.planIdCount,
    last_updated_on: shown.lastUpdatedOn ?? null,
    partial: shown.partial,
    plan_sponsor_names: shown.facts?.sponsors ?? [],
    plan_market_types: shown.facts?.markets ?? [],
    issuer_names: shown.facts?.issuers ?? [],
    network_names: shown.facts?.networks ?? [],
    product_types: shown.facts?.productTypes ?? [],
    changed_on: listChangeDays(entry, firstDay),
  }
}

function parseQuery(parameters: Parameters): FeeScheduleQuery {
  const names = ['payer', 'q', 'plan_id', 'sponsor', 'market', 'limit', 'cursor']
  const faults: Fault[] = [...findUnknownParameters(parameters, names)]
  const readText = (name: string, findFault: (text: string) => string | undefined, normalise = normaliseName) => {
    const text = parameters[name]
    const fault = text === undefined ? undefined : findFault(text)
    if (fault !== undefined) faults.push({ path: name, message: `${fault}; got ${showValue(text)}` })
    return text === undefined || fault !== undefined ? undefined : normalise(text)
  }
  const texts = {
    payer: readText('payer', findNameFault),
    q: readText('q', findWordsFault),
    sponsor: readText('sponsor', findWordsFault),
    planId: readText('plan_id', findSearchedPlanIdFault, readSearchedPlanId),
    market: readText('market', findMarketFault),
  }
  const filters: FeeScheduleFilters = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined))
  const limit = readLimit(parameters, feeSchedulePages, faults)
  const { cursor } = parameters
  const after = cursor === undefined ? undefined : readPlace(filters, cursor)
  if (cursor !== undefined && after === undefined) faults.push({ path: 'cursor', message: cursorFault(cursor) })
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { ...filters, limit, ...(after && { after }) }
}

const findMarketFault = (text: string) =>
  marketTypes.some((market) => market === text) ? undefined : `must be one of ${marketTypes.join(', ')}`

function findWordsFault(text: string): string | undefined {
  return findNameFault(text) ?? (wordsOf(text).length === 0 ? 'must have a letter or digit' : undefined)
}

function scopeOf({ payer, q, sponsor, planId, market }: FeeScheduleFilters) {
  return ['fee-schedules', ...[payer, q, sponsor, planId, market].map((text) => text ?? null)]
}

function readPlace(filters: FeeScheduleFilters, cursor: string): ListPlace | undefined {
  const place = readCursor(scopeOf(filters), cursor)
  if (place?.length !== 3) return undefined
  const [payer = '', plan = '', variant = ''] = place
  // A position among another payer's plans is not in this list.
  if (filters.payer !== undefined && payer !== filters.payer) return undefined
  if (findNameFault(payer) ?? findNameFault(plan) ?? (variant === '' ? undefined : findNameFault(variant)))
    return undefined
  // DynamoDB refuses to go on among the variants of a name from anywhere else.
  if (!(variant || `${plan} (`).startsWith(`${plan} (`)) return undefined
  return { payer, plan, ...(variant !== '' && { variant }) }
}
