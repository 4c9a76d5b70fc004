/** The limits of an organization, and what it uses of them. */

export interface Limits {
  /** Searches that have not ended. */
  readonly searches: number
  /** Searches created in a minute; as many can be created at once. */
  readonly perMinute: number
}

/** What an organization uses of its limits, as it is stored. */
export interface Usage {
  /** When each slot was taken, by job id. A slot belongs to a job that has not ended. */
  readonly slots: ReadonlyMap<string, Date>
  /**
   * The rate's theoretical arrival time, in microseconds since 1970: when the organization will have used nothing. Source:
   * ATM Forum, "Traffic Management Specification 4.1", the generic cell rate algorithm (GCRA).
   */
  readonly arrivalTime: number
}

/** An organization that has created nothing. */
export const unused: Usage = { slots: new Map(), arrivalTime: 0 }

/** A search that is about to be created. */
export interface SlotClaim {
  readonly orgId: string
  readonly jobId: string
  /** When the search is created, and the slot taken. */
  readonly at: Date
  readonly limits: Limits
}

/** How much is left of the limits. */
export interface Allowance {
  readonly limits: Limits
  /** Searches that may be created now. */
  readonly created: number
  /** Whole seconds until one more may be created; at least 1. */
  readonly moreIn: number
  /** Slots that are free. */
  readonly running: number
}

/** Microseconds over which searches are counted. */
export const windowMicros = 60_000_000

/** Microseconds that one search takes of the rate. Rounded down: a whole minute's searches fit into one. */
export function intervalOf({ perMinute }: Limits): number {
  return Math.floor(windowMicros / perMinute)
}

export function microsOf(time: Date): number {
  return time.getTime() * 1000
}

/**
 * Decides a claim by what is stored.
 *
 * @returns `held` if the job has a slot, taken by a request with the same idempotency key
 */
export function judgeClaim(usage: Usage, { jobId, at, limits }: SlotClaim): 'held' | 'admitted' | 'refused' {
  if (usage.slots.has(jobId)) return 'held'
  const { created, running } = measureAllowance(usage, limits, at)
  return created > 0 && running > 0 ? 'admitted' : 'refused'
}

/** Measures what is left of the limits. */
export function measureAllowance({ slots, arrivalTime }: Usage, limits: Limits, at: Date): Allowance {
  const now = microsOf(at)
  const interval = intervalOf(limits)
  const used = Math.max(arrivalTime - now, 0)
  const untilMore = used + interval - windowMicros
  return {
    limits,
    created: Math.max(Math.floor((windowMicros - used) / interval), 0),
    moreIn: Math.max(Math.ceil(untilMore / 1_000_000), 1),
    running: Math.max(limits.searches - slots.size, 0),
  }
}
