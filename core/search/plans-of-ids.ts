import { requestLimits } from '../../contract/limits.ts'
import { type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { type FoundPlace, findFeeSchedules } from '../catalogue/finding/find-fee-schedules.ts'
import { sharePostings } from '../catalogue/finding/shared-postings.ts'
import { readPages } from '../catalogue/list-catalogue.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { findPastPlans, pastDay } from '../catalogue/read-past.ts'
import { chunk } from '../chunk.ts'
import type { Failure } from '../failure.ts'
import { maxNamed, nameSome } from '../name-some.ts'
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

interface NamedRequest {
  /** The request with the fee schedules of its plan ids in their place. */
  readonly request: SearchRequest
  /** Why a search would fail over its plan ids. */
  readonly failure?: Failure
}

/**
 * Puts all fee schedules that have a plan id, now or at the end of the day that a request names, in place of the plan ids of a request.
 *
 * @param relation whether searches read an operator's own relation
 */
export async function namePlansOfIds(
  deps: FindPlans,
  searched: SearchRequest,
  relation: boolean,
): Promise<NamedRequest> {
  const { planIds, ...asked } = searched
  if (planIds === undefined) return { request: asked }
  const { found, missing } = await findPlansOfIds(deps, searched, relation)
  const request = { ...asked, feeSchedules: sortPairs(found) }
  const failure = describeMissing(missing) ?? describeTooMany(request)
  return { request, ...(failure && { failure }) }
}

/** The plans of all ids and those that are named, each once; the first that are too many if they are. */
async function findPlansOfIds(
  { catalogue, now }: FindPlans,
  searched: SearchRequest,
  relation: boolean,
): Promise<{ readonly found: readonly FeeSchedule[]; readonly missing: readonly string[] }> {
  const { feeSchedules, planIds = [] } = searched
  const day = relation ? undefined : pastDay(searched, now())
  const limit = requestLimits.fee_schedules + 1
  const found = new Map(feeSchedules.map((each) => [feeScheduleKey(each), each]))
  const missing: string[] = []
  for (const together of chunk(planIds, idsPerLookUp)) {
    const shared = await sharePostings(catalogue, together)
    for (const ids of chunk(together, idsAtOnce)) {
      const plans = await Promise.all(
        ids.map((planId) =>
          day === undefined
            ? findPlansOf(shared, planId, limit, relation)
            : findPastPlans({ catalogue: shared, now }, planId, day),
        ),
      )
      for (const plan of plans.flat()) if (found.size < limit) found.set(feeScheduleKey(plan), plan)
      if (found.size === limit) return { found: [...found.values()], missing: [] }
      missing.push(...ids.filter((_, index) => plans[index]?.length === 0))
    }
  }
  return { found: [...found.values()], missing }
}

/** The first plans of an id. */
async function findPlansOf(catalogue: Catalogue, planId: string, limit: number, relation: boolean) {
  const found: FeeSchedule[] = []
  const read = (after?: FoundPlace) => findFeeSchedules(catalogue, { planId, limit, ...(after && { after }) })
  for await (const items of readPages(read)) {
    for (const { payer, plan, state } of items) if (relation || state.status === 'active') found.push({ payer, plan })
    if (found.length >= limit) break
  }
  return found
}

function describeMissing(planIds: readonly string[]): Failure | undefined {
  if (planIds.length === 0) return undefined
  const subject = planIds.length === 1 ? 'No fee schedule has this plan id' : 'No fee schedule has these plan ids'
  const [short] = planIds.filter((planId) => /^\d{7,8}$/.test(planId))
  const zeros = short ? `An EIN has nine digits: did you mean ${short.padStart(9, '0')}? ` : ''
  const advice = `${zeros}Look for the plan by its name or sponsor with GET /v1/fee-schedules?q=.`
  return { word: 'unsupported_fee_schedule', sentence: `${subject}: ${nameSome(planIds, maxNamed)}. ${advice}` }
}

function describeTooMany(request: SearchRequest): Failure | undefined {
  const [count, limit] = [request.feeSchedules.length, requestLimits.fee_schedules]
  const excess = count > limit ? `names more than ${limit} fee schedules` : findStatementFault(request)?.message
  if (excess === undefined) return undefined
  const sentence = `With all plans of its plan ids, this search ${excess}. Name fewer plan ids, or plans by payer and name.`
  return { word: 'too_broad', sentence }
}
