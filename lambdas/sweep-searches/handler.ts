import type { SweepSearches } from '../../core/sweep-searches.ts'
import { sweepSearches } from '../../core/sweep-searches.ts'
import { describeSweepMetrics } from './metrics.ts'

/** Once a minute: sees that every job ends, and measures how long the oldest have waited. */
export function sweepSearchesHandler(deps: SweepSearches & { readonly writeLine: (line: string) => void }) {
  return async (): Promise<void> => deps.writeLine(describeSweepMetrics(await sweepSearches(deps), deps.now()))
}
