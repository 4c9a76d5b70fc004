import { maxFeeSchedules } from '../../contract/limits.ts'
import { at } from '../../schema/at.ts'
import { maxNamed, nameSome } from '../../schema/phrases.ts'
import type { EntryState } from '../catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { readPages } from '../catalogue/list-catalogue.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { findPastPlans, pastDay } from '../catalogue/resolving/read-past.ts'
import { findFeeSchedules, type ListPosition } from '../catalogue/word-index/find-fee-schedules.ts'
import { sharePostings } from '../catalogue/word-index/shared-postings.ts'
import { chunk } from '../chunk.ts'
import type { Failure } from '../failure.ts'
import type { Clock } from '../time.ts'
import { type SearchRequest, sortPairs } from './search-request.ts'
import { findStatementFault } from './statement.ts'

/** Number of plan ids whose plans are read concurrently; few, because each may have too many plans. */
const idsAtOnce = 5

/** Number of plan ids that are looked up in the index together; it limits the postings that are held. */
const idsPerLookUp = 50

interface FindPlans {
  readonly catalogue: Catalogue
  readonly now: Clock
}

/** The part of the catalogue that searches can read. */
export interface Searching {
  /** States of the entries that have rates. */
  readonly statuses: readonly EntryState['status'][]
  /** True if the rates of past days are kept. */
  readonly hasHistory: boolean
}

interface NamedRequest {
  /** The request with fee schedules in place of its plan ids. */
  readonly request: SearchRequest
  /** The failure of a search by these plan ids, if it would fail. */
  readonly failure?: Failure
}

/**
 * Replaces the request's plan ids by the fee schedules that have them, now or at the end of the `as_of` day.
 *
 * @param searching the rates that the search reads
 */
export async function namePlansOfIds(
  deps: FindPlans,
  searched: SearchRequest,
  searching: Searching,
): Promise<NamedRequest> {
  const { planIds, ...withoutPlanIds } = searched
  if (planIds === undefined) return { request: withoutPlanIds }
  const { plans, missing } = await findPlansOfIds(deps, searched, searching)
  const request = { ...withoutPlanIds, feeSchedules: sortPairs(plans) }
  const failure = describeMissing(missing) ?? describeTooMany(request)
  return { request, ...(failure && { failure }) }
}

/**
 * Finds the plans of all ids, and adds the plans that the request names, each once. Stops at the first plan above the
 * limit, because the search then fails.
 */
async function findPlansOfIds(
  { catalogue, now }: FindPlans,
  searched: SearchRequest,
  searching: Searching,
): Promise<{ readonly plans: readonly FeeSchedule[]; readonly missing: readonly string[] }> {
  const { feeSchedules, planIds = [] } = searched
  const day = searching.hasHistory ? pastDay(searched, now()) : undefined
  const limit = maxFeeSchedules + 1
  const plansByKey = new Map(feeSchedules.map((each) => [feeScheduleKey(each), each]))
  const missing: string[] = []
  for (const together of chunk(planIds, idsPerLookUp)) {
    const shared = await sharePostings(catalogue, together)
    for (const ids of chunk(together, idsAtOnce)) {
      const plansOfIds = await Promise.all(
        ids.map((planId) =>
          day === undefined
            ? findPlansOf(shared, planId, limit, searching)
            : findPastPlans({ catalogue: shared, now }, planId, day),
        ),
      )
      for (const plan of plansOfIds.flat()) if (plansByKey.size < limit) plansByKey.set(feeScheduleKey(plan), plan)
      if (plansByKey.size === limit) return { plans: [...plansByKey.values()], missing: [] }
      missing.push(...ids.filter((_, index) => at(plansOfIds, index).length === 0))
    }
  }
  return { plans: [...plansByKey.values()], missing }
}

/** Finds the first plans of an id, `limit` or a page more. */
async function findPlansOf(catalogue: Catalogue, planId: string, limit: number, { statuses }: Searching) {
  const plans: FeeSchedule[] = []
  const readPage = (after?: ListPosition) => findFeeSchedules(catalogue, { planId, limit, ...(after && { after }) })
  for await (const items of readPages(readPage)) {
    for (const { payer, plan, state } of items) if (statuses.includes(state.status)) plans.push({ payer, plan })
    if (plans.length >= limit) break
  }
  return plans
}

function describeMissing(planIds: readonly string[]): Failure | undefined {
  if (planIds.length === 0) return undefined
  const subject = planIds.length === 1 ? 'No fee schedule has this plan id' : 'No fee schedule has these plan ids'
  const advice = 'Look for the plan by its name or sponsor with GET /v1/fee-schedules?q=.'
  return { word: 'unsupported_fee_schedule', sentence: `${subject}: ${nameSome(planIds, maxNamed)}. ${advice}` }
}

function describeTooMany(request: SearchRequest): Failure | undefined {
  const [count, limit] = [request.feeSchedules.length, maxFeeSchedules]
  const excess = count > limit ? `names more than ${limit} fee schedules` : findStatementFault(request)?.message
  if (excess === undefined) return undefined
  const sentence = `With all plans of its plan ids, this search ${excess}. Name fewer plan ids, or plans by payer and name.`
  return { word: 'too_broad', sentence }
}
