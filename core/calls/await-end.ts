import { maxWaitSeconds } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'
import { showValue } from '../../contract/texts/show-value.ts'
import { InvalidRequest, Refusal } from '../errors.ts'
import { isTerminal, type Job } from '../job/job.ts'
import type { Parameters } from '../paging/page-query.ts'
import type { Clock } from '../time.ts'

/** Time for which a slot is held at most, if its call is killed: longer than any call runs. */
export const slotSeconds = 30

/** The slots of calls that wait, which the whole stage shares. */
export interface WaitSlots {
  /**
   * Takes a free slot until a time. An organization can hold half of the slots.
   *
   * @returns a name to free it by; undefined if none is free
   */
  take(orgId: string, now: Date, until: Date): Promise<string | undefined>
  /** Frees a slot, unless another call has it by now. */
  free(slot: string): Promise<void>
}

/** Dependencies of a wait. */
export interface AwaitEnd {
  readonly waitSlots: WaitSlots
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly now: Clock
}

/** Bounds of the interval between two reads of the job, in milliseconds; it grows by half each time. */
const [firstIntervalMs, maxIntervalMs] = [250, 2000]

/** Reads `wait` of a query string, in seconds. @throws InvalidRequest */
export function readWait({ wait }: Parameters): number {
  if (wait === undefined) return 0
  if (/^\d{1,2}$/.test(wait) && Number(wait) <= maxWaitSeconds) return Number(wait)
  const fault: Fault = {
    path: 'wait',
    message: `must be a whole number of seconds from 0 to ${maxWaitSeconds}; got ${showValue(wait)}`,
  }
  throw new InvalidRequest([fault])
}

/**
 * Reads a job again and again until it has ended or the time is over, if a slot is free. A broken slot or reading ends
 * the wait: the job as it was read last is a right answer.
 *
 * @param startedAt the time from which the wait counts
 * @returns the job as it was read last
 * @throws the refusals of `read`, if the caller may no longer see the job
 */
export async function awaitEnd<Found extends Job>(
  { waitSlots, sleep, now }: AwaitEnd,
  { job, seconds, startedAt }: { readonly job: Found; readonly seconds: number; readonly startedAt: Date },
  read: () => Promise<Found>,
): Promise<Found> {
  const endsAt = startedAt.getTime() + seconds * 1000
  let leftMs = endsAt - now().getTime()
  if (isTerminal(job.status) || leftMs <= 0) return job
  const until = new Date(now().getTime() + slotSeconds * 1000)
  const slot = await waitSlots.take(job.orgId, now(), until).catch(() => undefined)
  if (slot === undefined) return job
  let current = job
  try {
    for (let intervalMs = firstIntervalMs; ; intervalMs = Math.min(intervalMs * 1.5, maxIntervalMs)) {
      // Sleeps count too, so that a clock that is set back does not prolong the wait.
      leftMs = Math.min(leftMs, endsAt - now().getTime())
      if (leftMs <= 0) return current
      const pauseMs = Math.min(intervalMs, leftMs)
      await sleep(pauseMs)
      leftMs -= pauseMs
      current = await read()
      if (isTerminal(current.status)) return current
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    return current
  } finally {
    await waitSlots.free(slot).catch(() => {})
  }
}
