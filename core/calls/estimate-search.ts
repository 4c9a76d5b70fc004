import { hasCheckDigit } from '../../contract/provider-ids.ts'
import { effectOf } from '../../contract/routes.ts'
import type { EstimateBody, Fault } from '../../contract/search-api.ts'
import { maxNamed, nameSome } from '../../schema/phrases.ts'
import { type Authorize, authorizeKey } from '../access/access.ts'
import type { PresentedKey } from '../access/api-key.ts'
import type { Failure } from '../failure.ts'
import type { RateUsages } from '../limits/ports.ts'
import { takeClaim } from '../limits/take-claim.ts'
import { type Claim, type Limits, unused } from '../limits/usage.ts'
import { type OpenRates, openRates } from '../own-relation/open-rates.ts'
import { type Rates, type RatesEstimate, requireServed } from '../rates/rates.ts'
import { listUnsearched } from '../search/billing-code.ts'
import { parseSearchRequest } from '../search/parse-search-request.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { measureStatement } from '../search/statement.ts'
import { describeSummary } from './search-body.ts'

export interface MakeEstimate {
  readonly estimateUsages: RateUsages
}

export interface EstimateSearch extends Authorize, OpenRates, MakeEstimate {
  /** Default limits of an organization. */
  readonly limits: Limits
}

/**
 * Estimates what a search would read, without starting it. Refuses the same requests as a search, except that a
 * statement that is too long is reported by its size. Valid requests count towards the organization's limits.
 *
 * @param readBody returns the parsed JSON body; called only after authorization
 * @throws Unauthorized, Forbidden, InvalidRequest, RateLimited, and errors of `readBody`
 */
export async function estimateSearch(
  deps: EstimateSearch,
  key: PresentedKey,
  readBody: () => unknown,
): Promise<EstimateBody> {
  const { orgId, limits } = await authorizeKey(deps, key, effectOf('estimate-search'))
  const search = parseSearchRequest(readBody(), [], deps.now())
  const rates = openRates(deps)
  await requireServed(rates, search)
  const claim = { orgId, at: deps.now(), limits: { ...deps.limits, ...limits } }
  const {
    request,
    feeSchedules,
    size,
    failure,
    unloaded,
    lacking = [],
  } = await makeEstimate(deps, rates, search, claim)
  return {
    fee_schedules: feeSchedules,
    ...size,
    ...describeSummary(search.summary),
    statement_bytes: measureStatement(request),
    warnings: [
      ...findWrongNpis(request),
      ...findUnsearchedCodes(request),
      ...describeFailure(failure),
      ...unloaded.map(describeUnloaded),
      ...lacking,
    ],
  }
}

/**
 * Makes an estimate, whatever needs it: first takes a share of the organization's rate of estimates.
 *
 * @throws RateLimited if the rate is used up
 */
export async function makeEstimate(
  { estimateUsages }: MakeEstimate,
  rates: Rates,
  request: SearchRequest,
  { orgId, at, limits }: Claim,
): Promise<RatesEstimate> {
  await takeClaim(estimateUsages, { orgId, at, limits }, unused)
  return rates.estimate(request)
}

const describeFailure = (failure: Failure | undefined): readonly Fault[] =>
  failure ? [{ path: 'fee_schedules', message: `the search would fail: ${failure.sentence}` }] : []

function findWrongNpis({ npis = [] }: SearchRequest): readonly Fault[] {
  const wrong = npis.filter((npi) => !hasCheckDigit(npi))
  if (wrong.length === 0) return []
  const subject = wrong.length === 1 ? '1 NPI has' : `${wrong.length} NPIs have`
  return [{ path: 'npis', message: `${subject} a wrong check digit: ${nameSome(wrong, maxNamed)}` }]
}

/** Warns of codes that files may write like those of the request, but that are others: an MS-DRG 470 written 0470. */
function findUnsearchedCodes({ billingCodes = [] }: SearchRequest): readonly Fault[] {
  const unsearched = listUnsearched(billingCodes)
  if (unsearched.length === 0) return []
  const codes = nameSome(
    unsearched.map(({ code, type, form }) => `${code} for ${type} ${form}`),
    maxNamed,
  )
  const message = `files may write ${codes}, which this search does not find: add ${unsearched.length === 1 ? 'the latter code' : 'the latter codes'} if meant`
  return [{ path: 'billing_codes', message }]
}

/** A search over a partly loaded fee schedule fails unless it asks only for the loaded part. */
function describeUnloaded({ names: [first, ...others], fault }: RatesEstimate['unloaded'][number]): Fault {
  const more = others.length === 0 ? '' : ` and ${others.length} more fee schedule${others.length === 1 ? '' : 's'}`
  return { path: 'fee_schedules', message: `the search would fail: of ${first}${more}, ${fault}` }
}
