import type { Fault } from '../../contract/search-api.ts'
import { Refusal, shorten } from '../errors.ts'
import type { Allowance, Counted } from './usage.ts'

/** Seconds to wait for a search to end, as long as clients wait between polls. */
const slotSeconds = 15

/** The organization has reached one of its limits; `details` names the searches that have not ended. */
export class RateLimited extends Refusal {
  override readonly type = 'rate_limited'
  override readonly details: readonly Fault[] | undefined
  readonly allowance: Allowance
  /** Whole seconds to wait before asking again. */
  readonly retryAfter: number
  readonly counted: Counted
  /** @param running ids of the searches that hold slots, the oldest first */
  constructor(allowance: Allowance, running: readonly string[], counted: Counted = 'searches') {
    super(describeExcess(allowance, running, counted))
    this.allowance = allowance
    this.counted = counted
    this.retryAfter = allowance.running === 0 ? Math.max(allowance.moreIn, slotSeconds) : allowance.moreIn
    const faults = running.map((jobId) => ({ path: '', message: `search ${jobId} has not ended` }))
    this.details = faults.length === 0 ? undefined : shorten(faults, 'searches')
  }
}

const countedWords: Readonly<Record<Counted, string>> = {
  searches: 'new searches',
  estimates: 'new estimates',
  reads: 'lookups of codes and providers and reads of rows',
}

function describeExcess(
  { limits, running: free, moreIn }: Allowance,
  [oldest, ...others]: readonly string[],
  counted: Counted,
): string {
  if (free > 0 || oldest === undefined)
    return `The organization's limit of ${countedWords[counted]} a minute is ${limits.perMinute}: send this one again in ${moreIn} s.`
  const more = others.length === 0 ? '' : ` (and ${others.length} more, see details)`
  return `The organization's limit of searches that have not ended is ${limits.searches}: wait until one ends, or cancel one. The oldest is ${oldest}${more}.`
}
