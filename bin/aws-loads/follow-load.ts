import type { Progress } from '../../client/command-line/progress.ts'
import type { LoadRecord } from '../../core/loads/load-record.ts'
import { describeLook, type LoadLook } from './look-at-load.ts'

export interface Following {
  readonly look: () => Promise<LoadLook>
  /** Waits for a number of seconds, or until the signal aborts. */
  readonly wait: (seconds: number, signal: AbortSignal) => Promise<void>
  readonly progress: Pick<Progress, 'show'>
  /** Ends the watching, not the load. */
  readonly signal: AbortSignal
}

/**
 * Seconds between looks. A look at a load of 50,000 files reads 30 MB of DynamoDB, so only the first few are frequent.
 */
const pauses = { first: 5, firstLooks: 12, later: 60 } as const

/**
 * Shows the progress of a load until it ends.
 *
 * @returns the record of the load, which has ended unless its execution died; undefined if the operator left before
 */
export async function followLoad({ look, wait, progress, signal }: Following): Promise<LoadRecord | undefined> {
  let first: LoadLook | undefined
  /** Looks in a row without an execution: the record may have been read before the load ended. */
  let undriven = 0
  for (let looks = 1; !signal.aborted; looks++) {
    const current = await look()
    first ??= current
    undriven = current.isDriven ? 0 : undriven + 1
    if (current.record.endedAt !== undefined || undriven > 1) return current.record
    const line = describeLook(current, first)
    progress.show(() => line)
    await wait(looks < pauses.firstLooks ? pauses.first : pauses.later, signal)
  }
  return undefined
}
