import { type SweepSearches, sweepSearches } from '../../core/workflow/sweep-searches.ts'
import { formatSweep, type WritesMetrics } from '../metrics.ts'

/** Once a minute: makes sure that every job ends, and measures how long the oldest have waited. */
export function sweepSearchesHandler(deps: SweepSearches & WritesMetrics) {
  return async (): Promise<void> =>
    deps.writeLine(formatSweep(await sweepSearches(deps), { stage: deps.stage, time: deps.now() }))
}
