import { createHash } from 'node:crypto'
import { filterList, requestedValuesOf } from '../../contract/filters.ts'
import { normaliseBillingCode } from '../../contract/texts/written-code.ts'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import { canonicalRequest } from '../../core/search/search-request.ts'
import { formatNumber } from '../../schema/phrases.ts'
import type { Estimate, SearchRequest } from '../api.ts'
import type { SearchCalls } from '../search-calls.ts'
import { takeFirst } from '../take-first.ts'
import { type Answer, type Need, shortText } from './answer.ts'
import type { ToolSession, UnknownSizes } from './session.ts'

/** The arguments of tools that start a search. */
export interface SearchArguments extends Omit<SearchRequest, 'fee_schedules'> {
  readonly fee_schedules?: SearchRequest['fee_schedules']
  readonly max_bytes?: number
  readonly again?: boolean
  readonly wait_seconds?: number
}

/** A search that may be started, with what looks wrong in it; or the answer that asks for what is missing. */
export type CheckedSearch =
  | { readonly request: SearchRequest; readonly estimate: Estimate }
  | { readonly request: undefined; readonly answer: Answer }

/**
 * Checks a search before it is started, with an estimate of the service: it must name plans that exist and something
 * to search for, and read no more than the bytes that its arguments or the session allow.
 */
export async function checkSearch(
  { calls, maxBytes, sizes }: ToolSession,
  args: SearchArguments,
  signal: AbortSignal,
): Promise<CheckedSearch> {
  const { fee_schedules: plans, max_bytes: limit = maxBytes, again: _, wait_seconds: __, ...filters } = args
  const needs: Need[] = []
  if (plans === undefined) needs.push(planNeed)
  if (filterList.every((filter) => requestedValuesOf(filters, filter) === undefined)) needs.push(filterNeed)
  if (plans === undefined || needs.length > 0) return refuse({ needs })
  const request = { ...filters, fee_schedules: plans }
  const estimate = await calls.estimate(request, { signal })
  const missing = estimate.fee_schedules.filter(({ exists }) => !exists)
  if (missing.length > 0 || estimate.fee_schedules.length === 0)
    return refuse({
      needs: [await describeMissing(calls, missing, { ...request, signal })],
      next: 'find_plans lists the plans that can be searched.',
    })
  const { bytes, own_relation: isOwnRelation = false } = estimate
  const words = isOwnRelation ? undefined : await findWords(calls, filters.billing_codes, signal)
  if (words !== undefined)
    return refuse({ needs: [describeWords(words)], next: 'find_codes finds codes by the words of their names.' })
  if (bytes === null) {
    // The workgroup of an own relation has a limit, and its operator no other way to use assistants.
    if (isOwnRelation || sizes.allowsUnknown) return { request, estimate }
    return refuse({ needs: [describeUnknownSize(sizes)] })
  }
  if (bytes > limit) return refuse({ needs: [describeSize(bytes, limit)], estimated_bytes: bytes })
  // Rates can be loaded between the estimate and the search.
  return { request: { ...request, max_bytes: limit }, estimate }
}

/** Maximum numbers of codes without a digit that are looked up, and of codes that begin like one. */
const [maxTriedWords, maxListed] = [5, 20]

/** Maximum numbers of plans whose payers are looked at if no plan is similar, and of payers that are listed. */
const [maxListedPlans, maxListedPayers] = [100, 20]

const refuse = (answer: Answer) => ({ request: undefined, answer: { state: 'not started', ...answer } })

const planNeed = {
  about: 'fee_schedules',
  ask: 'Which payer and plan, or which employer? find_plans lists those that can be searched.',
}

const filterNeed = {
  about: 'billing_codes',
  ask: 'Which service or billing code (such as CPT 99213), or which provider by NPI, TIN, state or ZIP code?',
}

/**
 * Finds a code of a search that is plainly words: it has no digit, as hardly any code, and no loaded file has such a
 * code. Nothing would be found, and the user's question remain unanswered.
 */
async function findWords(calls: SearchCalls, codes: readonly string[] = [], signal: AbortSignal) {
  for (const code of codes.filter((each) => !/\d/.test(each)).slice(0, maxTriedWords)) {
    const listing = await takeFirst(calls.billingCodes({ q: code, pageSize: maxListed }, { signal }), maxListed)
    const normal = normaliseBillingCode(code)
    if (!listing.some(({ billing_code }) => normaliseBillingCode(billing_code) === normal)) return code
  }
  return undefined
}

const describeWords = (words: string): Need => ({
  about: 'billing_codes',
  ask: `No loaded file has a code ${JSON.stringify(shortText(words))}. Which of the codes that find_codes lists for these words is meant?`,
})

/** Asks for plans in place of missing ones: similar ones or, if there are none, a plan of a payer that is loaded. */
async function describeMissing(
  calls: SearchCalls,
  missing: Estimate['fee_schedules'],
  { as_of: day, signal }: { readonly as_of?: string; readonly signal: AbortSignal },
): Promise<Need> {
  const about = 'fee_schedules'
  const choices = missing.flatMap(({ nearest }) => nearest).slice(0, 10)
  const unknown = `No rates are loaded under these names${day === undefined ? '' : ` as of ${day}`}`
  if (choices.length > 0) return { about, ask: `${unknown}. Which of the similar plans is meant?`, choices }
  const plans = await takeFirst(calls.feeSchedules({ pageSize: maxListedPlans }, { signal }), maxListedPlans)
  const payers = [...new Set(plans.map(({ payer }) => payer))].slice(0, maxListedPayers)
  if (payers.length === 0) return { about, ask: 'No rates are loaded. The operator of the service loads them.' }
  const isAll = plans.length < maxListedPlans && payers.length < maxListedPayers
  return {
    about,
    ask: `${unknown}, and none is similar. Which plan of ${isAll ? 'these payers' : 'these or further payers'} is meant?`,
    choices: payers.map((payer) => ({ payer })),
  }
}

function describeSize(bytes: number, limit: number): Need {
  return {
    about: 'max_bytes',
    ask: `The search would read up to ${formatNumber(bytes)} bytes, more than the limit of ${formatNumber(limit)}. Fewer plans read less. Shall it run all the same?`,
    choices: [bytes],
  }
}

const describeUnknownSize = ({ setting }: UnknownSizes): Need => ({
  about: 'fee_schedules',
  ask: `How much the search would read is not known, so max_bytes cannot hold. Which fewer plans are meant? The operator allows searches of unknown size with ${setting}.`,
})

/**
 * Derives the idempotency key of a search from its canonical form and day, so that an assistant which repeats a call
 * pays for one query, however the lists are written. `again` makes another search each minute.
 */
export function nameSearch(request: SearchRequest, { again = false }: SearchArguments, now: Date): string {
  const time = now.toISOString().slice(0, again ? 'YYYY-MM-DDTHH:MM'.length : 'YYYY-MM-DD'.length)
  return `assistant-${createHash('sha256')
    .update(`${time} ${canonicalRequest(parseSearchRequest(request))}`)
    .digest('hex')}`
}
