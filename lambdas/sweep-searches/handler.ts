import { type SweepSearches, sweepSearches } from '../../core/workflow/sweep-searches.ts'
import { describeSweep } from '../metrics.ts'

export interface SweepHandler extends SweepSearches {
  /** The stage, a dimension of the metrics. */
  readonly stage: string
  readonly writeLine: (line: string) => void
}

/** Once a minute: makes sure that every job ends, and measures how long the oldest have waited. */
export function sweepSearchesHandler(deps: SweepHandler) {
  return async (): Promise<void> =>
    deps.writeLine(describeSweep(await sweepSearches(deps), { stage: deps.stage, time: deps.now() }))
}
