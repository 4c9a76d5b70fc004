import { createHash } from 'node:crypto'
import type { Fault } from '../contract/errors.ts'
import type { CatalogueEntryBody, FeeSchedulesBody } from '../contract/search-api.ts'
import type { Authorize } from './access/access.ts'
import { authorize } from './access/access.ts'
import type { PresentedKey } from './access/api-key.ts'
import type { CatalogueEntry, ShownContent } from './catalogue/catalogue-entry.ts'
import type { FeeSchedule } from './catalogue/fee-schedule.ts'
import { findNameFault, normaliseName } from './catalogue/fee-schedule.ts'
import { listSearchable } from './catalogue/list-catalogue.ts'
import type { Catalogue } from './catalogue/ports.ts'
import { InvalidRequest } from './errors.ts'
import { printable, showValue } from './search/show-value.ts'

export interface ListFeeSchedules extends Authorize {
  readonly catalogue: Catalogue
}

/** Items per page: the maximum, and the default. */
export const pageLimits = { most: 1000, usual: 100 } as const

interface Query {
  readonly payer?: string
  readonly limit: number
  readonly after?: FeeSchedule
}

/**
 * Lists the fee schedules that can be searched, page by page, grouped by payer and ordered by plan.
 *
 * @param parameters the query string: `payer`, `limit`, `cursor`
 * @throws Unauthorized, Forbidden, InvalidRequest naming every fault
 */
export async function listFeeSchedules(
  deps: ListFeeSchedules,
  key: PresentedKey,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<FeeSchedulesBody> {
  await authorize(deps, key, await deps.access.readAccess(key))
  const query = parseQuery(parameters)
  const { items, next } = await listSearchable(deps.catalogue, query)
  return { fee_schedules: items.map(describeEntry), next_cursor: next ? writeCursor(query.payer, next) : null }
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

function parseQuery(parameters: Readonly<Record<string, string | undefined>>): Query {
  const faults: Fault[] = []
  for (const name of Object.keys(parameters)) {
    if (!['payer', 'limit', 'cursor'].includes(name))
      faults.push({ path: printable(name), message: 'is not a parameter of this list' })
  }
  const { payer, limit = String(pageLimits.usual), cursor } = parameters
  const payerFault = payer === undefined ? undefined : findNameFault(payer)
  if (payerFault) faults.push({ path: 'payer', message: `${payerFault}; got ${showValue(payer)}` })
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > pageLimits.most) {
    faults.push({
      path: 'limit',
      message: `must be a whole number from 1 to ${pageLimits.most}; got ${showValue(limit)}`,
    })
  }
  const name = payer === undefined ? undefined : normaliseName(payer)
  const after = cursor === undefined ? undefined : readCursor(name, cursor)
  if (cursor !== undefined && after === undefined) {
    faults.push({
      path: 'cursor',
      message: `must be the next_cursor of a page with the same payer; got ${showValue(cursor)}`,
    })
  }
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { limit: Number(limit), ...(name !== undefined && { payer: name }), ...(after && { after }) }
}

/**
 * Opaque to clients. It contains the filter, so that it is refused by another list, and a digest, so that a truncated
 * or mistyped cursor is refused instead of being read as another position.
 */
function writeCursor(payer: string | undefined, next: FeeSchedule): string {
  const place = [payer ?? '', next.payer, next.plan].map((name) => Buffer.from(name).toString('base64url')).join('.')
  return `${place}.${createHash('sha256').update(place).digest('base64url').slice(0, 8)}`
}

function readCursor(payer: string | undefined, cursor: string): FeeSchedule | undefined {
  const [filter, nextPayer, nextPlan] = cursor.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  if (nextPayer === undefined || nextPlan === undefined || filter !== (payer ?? '')) return undefined
  // A position among another payer's plans is not in this list.
  if (payer !== undefined && nextPayer !== payer) return undefined
  const next = { payer: nextPayer, plan: nextPlan }
  return writeCursor(payer, next) === cursor && !findNameFault(nextPayer) && !findNameFault(nextPlan) ? next : undefined
}
