import type { SweepSearches } from '../../core/sweep-searches.ts'
import { sweepSearches } from '../../core/sweep-searches.ts'
import { writeSweepMetrics } from './metrics.ts'

/** Once a minute: sees that every job ends, and measures how long the oldest have waited. */
export function sweepSearchesHandler(deps: SweepSearches) {
  return async (): Promise<void> => writeSweepMetrics(await sweepSearches(deps), deps.now())
}
