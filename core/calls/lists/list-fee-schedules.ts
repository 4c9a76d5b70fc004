import { feeSchedulePages, marketTypes } from '../../../contract/limits.ts'
import { effectOf } from '../../../contract/routes.ts'
import type { CatalogueEntryBody, Fault, FeeSchedulesBody } from '../../../contract/search-api.ts'
import { findNameFault, findSearchedPlanIdFault } from '../../../contract/texts/names.ts'
import { type Authorize, authorizeKey } from '../../access/access.ts'
import type { PresentedKey } from '../../access/api-key.ts'
import type { CatalogueEntry, ShownContent } from '../../catalogue/catalogue-entry.ts'
import { firstKeptDay, listChangeDays } from '../../catalogue/history.ts'
import { readSearchedPlanId } from '../../catalogue/plan-id.ts'
import type { Catalogue } from '../../catalogue/ports.ts'
import {
  type FeeScheduleQuery,
  findFeeSchedules,
  type ListPosition,
} from '../../catalogue/word-index/find-fee-schedules.ts'
import { type FeeScheduleFilters, wordsOf } from '../../catalogue/word-index/look-up-words.ts'
import { InvalidRequest } from '../../errors.ts'
import { type OpenServed, openServed } from '../../own-relation/open-rates.ts'
import { writeCursor } from '../../paging/cursor.ts'
import {
  findWordsFault,
  type Parameters,
  readLimit,
  readPosition,
  readText,
  type TextRules,
} from '../../paging/page-query.ts'

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
  await authorizeKey(deps, key, effectOf('list-fee-schedules'))
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
  const faults: Fault[] = []
  const readFilter = (name: string, rules: TextRules) => readText(parameters, name, rules, faults)
  const texts = {
    payer: readFilter('payer', { findFault: findNameFault }),
    q: readFilter('q', { findFault: findQueryFault }),
    sponsor: readFilter('sponsor', { findFault: findQueryFault }),
    planId: readFilter('plan_id', { findFault: findSearchedPlanIdFault, normalise: readSearchedPlanId }),
    market: readFilter('market', { findFault: findMarketFault }),
  }
  const filters: FeeScheduleFilters = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined))
  const limit = readLimit(parameters, feeSchedulePages, faults)
  const parse = (parts: readonly string[]) => parsePosition(filters, parts)
  const after = readPosition(parameters, { scope: scopeOf(filters), parse }, faults)
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { ...filters, limit, ...(after && { after }) }
}

const findMarketFault = (text: string) =>
  marketTypes.some((market) => market === text) ? undefined : `must be one of ${marketTypes.join(', ')}`

/** Finds the fault of a filter whose words may be of a plan id, as in `PPO (EIN 22…`, which `wordsOf` splits. */
const findQueryFault = (text: string) => findWordsFault(text, wordsOf)

function scopeOf({ payer, q, sponsor, planId, market }: FeeScheduleFilters) {
  return ['fee-schedules', ...[payer, q, sponsor, planId, market].map((text) => text ?? null)]
}

function parsePosition(filters: FeeScheduleFilters, parts: readonly string[]): ListPosition | undefined {
  const [payer, plan, variant, ...more] = parts
  if (payer === undefined || plan === undefined || variant === undefined || more.length > 0) return undefined
  // A position among another payer's plans is not in this list.
  if (filters.payer !== undefined && payer !== filters.payer) return undefined
  if (findNameFault(payer) ?? findNameFault(plan) ?? (variant === '' ? undefined : findNameFault(variant)))
    return undefined
  // DynamoDB refuses to go on among the variants of a name from anywhere else.
  if (!(variant || `${plan} (`).startsWith(`${plan} (`)) return undefined
  return { payer, plan, ...(variant !== '' && { variant }) }
}
