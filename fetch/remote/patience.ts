import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../core/time.ts'

/** Sleep and chance, which tests replace. */
export interface Waiting {
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Returns a number from 0 to below 1. */
  readonly random: () => number
}

export const realWaiting: Waiting = {
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  random: Math.random,
}

/** Maximum number of attempts in a row without a new byte. */
const maxAttempts = 8

/** Minimum rate of a server that has not sent the whole file: 10 kB a second, measured over ten minutes. */
const leastRate = { bytes: 6_000_000, milliseconds: 600_000 }

/** Maximum sum of the pauses of a file, in milliseconds. */
const longestTotalPause = 7_200_000

/** The first pause and the longest one, in milliseconds, unless the server asks for a longer one. */
const [firstPause, longestPause] = [1000, 60_000]

/** Longest pause that a server may ask for, in milliseconds. */
const longestRetryAfter = 600_000

/** Limits attempts that bring nothing new, paces them with growing pauses, and notices a server that is too slow. */
export class Patience {
  readonly #waiting: Waiting
  readonly #now: Clock
  #attempts = 0
  #totalPause = 0
  /** Time at which the reader asked for more bytes, in milliseconds. */
  #askedAt: number
  // The waiting time in milliseconds and the bytes since the rate was last judged.
  #waited = 0
  #bytes = 0

  constructor(waiting: Waiting, now: Clock) {
    this.#waiting = waiting
    this.#now = now
    this.#askedAt = now().getTime()
  }

  /** Notes that the reader asks for more bytes. The time before that is the reader's, not the server's. */
  ask(): void {
    this.#askedAt = this.#now().getTime()
  }

  /**
   * Notes that bytes have arrived, so that the next failure counts as the first.
   *
   * @returns false if the server sends too slowly
   */
  receive(bytes: number): boolean {
    this.#attempts = 0
    this.#bytes += bytes
    // A jump of the clock is not slowness, and neither is a pause that the server asked for.
    this.#waited += Math.min(this.#now().getTime() - this.#askedAt, longestPause)
    if (this.#waited < leastRate.milliseconds) return true
    const isEnough = this.#bytes >= leastRate.bytes
    this.#waited = 0
    this.#bytes = 0
    return isEnough
  }

  /**
   * Waits before the next attempt; not at all if bytes have arrived since the last one.
   *
   * @param retryAfter the server's Retry-After in milliseconds
   * @throws failure if there were too many attempts, or the pauses become too long
   */
  async wait(failure: Error, retryAfter: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    this.#attempts++
    if (this.#attempts >= maxAttempts || (retryAfter ?? 0) > longestRetryAfter) throw failure
    const longest = Math.min(longestPause, firstPause * 2 ** (this.#attempts - 2))
    const pause = this.#attempts === 1 ? 0 : longest * (0.5 + this.#waiting.random() / 2)
    const length = Math.max(pause, retryAfter ?? 0)
    this.#totalPause += length
    if (this.#totalPause > longestTotalPause) throw failure
    if (length > 0) await this.#waiting.sleep(length, signal)
  }
}

/**
 * Reads a Retry-After header: seconds, or a date. Source: RFC 9110, section 10.2.3.
 *
 * @returns milliseconds from now; undefined if there is no readable header
 */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}
