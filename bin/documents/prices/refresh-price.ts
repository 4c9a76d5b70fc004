import { maxForcedRefreshesADay } from '../../../core/own-relation/force-refresh.ts'
import { defaultRefreshMinutes } from '../../../lib/timers/fee-schedule-refresh.ts'
import { priceQuery } from './search-price.ts'
import { unitPrices } from './unit-prices.ts'

/** Refreshes of an operator's own relation in a day, by what starts them. */
export const refreshesADay = {
  timer: (24 * 60) / defaultRefreshMinutes,
  forced: maxForcedRefreshesADay,
} as const

/** A relation `fee_schedules`, and what a refresh of it takes. */
export interface OwnRelation {
  readonly label: string
  /** Bytes that Athena reads. */
  readonly bytes: number
  /** Time that the function waits for them: an estimate, at most 240 seconds. */
  readonly seconds: number
}

export const ownRelations: readonly OwnRelation[] = [
  { label: 'a table of up to 10 MB', bytes: 1e7, seconds: 5 },
  { label: 'a view over `rates` that reads 1 GB of two columns', bytes: 1e9, seconds: 20 },
  { label: 'a view that reads up to the byte limit of 100 GB', bytes: 1e11, seconds: 240 },
]

/** State transitions from a forced refresh back to the search's next step. */
const restartTransitions = 3

/** Memory of the function, in gigabytes. */
const memory = 0.5

/** The price of one refresh, in dollars; a forced one also takes a search back to its first step. */
export function priceRefresh({ bytes, seconds }: OwnRelation, isForced: boolean): number {
  const run = unitPrices.invocation + seconds * memory * unitPrices.gigabyteSecond
  const restart = isForced ? restartTransitions * unitPrices.transition + unitPrices.invocation : 0
  return priceQuery(bytes) + run + restart
}

/** The price of a day's refreshes, in dollars: those of the timer, and all that clients can force in addition. */
export function priceRefreshDay(relation: OwnRelation) {
  return {
    timer: refreshesADay.timer * priceRefresh(relation, false),
    forced: refreshesADay.forced * priceRefresh(relation, true),
  }
}
