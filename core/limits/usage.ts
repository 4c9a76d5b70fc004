/** The limits of an organization, and its usage of them. */

export interface Limits {
  /** Searches that have not ended. */
  readonly searches: number
  /**
   * Searches per minute, and independently estimates per minute and, times `readsPerSearch`, dear reads per minute. A
   * whole minute's requests may come at once.
   */
  readonly perMinute: number
}

/** The kinds of request that have a rate of their own, by the names of their policies in the headers of a 429. */
export type Counted = 'searches' | 'estimates' | 'reads'

/**
 * Dear reads that an organization may make for each search that it may create: enough for the pickers of dozens of
 * people, and a small part of what a stage serves.
 */
const readsPerSearch = 5

/** Returns the limits of reads that take seconds or megabytes: lookups by words, and rows of results. */
export const limitReads = (limits: Limits): Limits => ({ ...limits, perMinute: limits.perMinute * readsPerSearch })

/** An organization's usage of its limits, as it is stored. */
export interface Usage {
  /** When each slot was taken, by job id. A slot belongs to a job that has not ended. */
  readonly slots: ReadonlyMap<string, Date>
  /**
   * The rate's theoretical arrival time, in microseconds since 1970: when the organization will have used nothing.
   * Source: ATM Forum, "Traffic Management Specification 4.1", the generic cell rate algorithm (GCRA).
   */
  readonly arrivalTime: number
}

/** An organization that has created nothing. */
export const unused: Usage = { slots: new Map(), arrivalTime: 0 }

/** A request that counts towards the limits. */
export interface Claim {
  readonly orgId: string
  /** The search that is about to be created; absent: a call that needs no slot. */
  readonly jobId?: string
  /** When the search is created, and the slot taken. */
  readonly at: Date
  readonly limits: Limits
}

export interface SlotClaim extends Claim {
  readonly jobId: string
}

export interface Allowance {
  readonly limits: Limits
  /** Searches that may be created now, estimates made, or reads. */
  readonly created: number
  /** Whole seconds until one more may be; at least 1. */
  readonly moreIn: number
  /** Slots that are free. */
  readonly running: number
}

/** Microseconds over which requests are counted. */
export const windowMicros = 60_000_000

/** Microseconds that one request takes of the rate. Rounded down: a whole minute's requests fit into one. */
export function intervalOf({ perMinute }: Limits): number {
  return Math.floor(windowMicros / perMinute)
}

export function microsOf(time: Date): number {
  return time.getTime() * 1000
}

/**
 * Decides a claim by the stored usage.
 *
 * @returns `held` if the job has a slot, taken by a request with the same idempotency key
 */
export function judgeClaim(usage: Usage, { jobId, at, limits }: Claim): 'held' | 'admitted' | 'refused' {
  if (jobId !== undefined && usage.slots.has(jobId)) return 'held'
  const { created, running } = measureAllowance(usage, limits, at)
  return created > 0 && running > 0 ? 'admitted' : 'refused'
}

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
