import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../core/time.ts'

/** What waiting needs from the world. */
export interface Waiting {
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** A number from 0 to 1, without 1. */
  readonly random: () => number
}

export const realWaiting: Waiting = {
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  random: Math.random,
}

/** How often something is attempted without a new byte. */
const maxAttempts = 8

/** A server must send so many bytes in so many milliseconds, or the file whole: 10 kB a second. */
const leastRate = { bytes: 6_000_000, milliseconds: 600_000 }

/** The longest time that a server may ask for in all pauses of a file. */
const longestPaused = 7_200_000

const firstPause = 1000
const longestPause = 60_000

/** The longest pause that a server may ask for. */
const longestAsked = 600_000

/** Limits attempts that bring nothing new, paces them with growing pauses, and notices a server that is too slow. */
export class Patience {
  readonly #waiting: Waiting
  readonly #now: Clock
  #attempts = 0
  #paused = 0
  /** When the reader asked for more. */
  #askedAt: number
  // Since the rate was last judged.
  #waited = 0
  #bytes = 0

  constructor(waiting: Waiting, now: Clock) {
    this.#waiting = waiting
    this.#now = now
    this.#askedAt = now().getTime()
  }

  /** The reader asks for more: what it did before is not the server's time. */
  ask(): void {
    this.#askedAt = this.#now().getTime()
  }

  /**
   * Something new has arrived: the next failure is a first one.
   *
   * @returns false if the server sends too little
   */
  receive(bytes: number): boolean {
    this.#attempts = 0
    this.#bytes += bytes
    // A clock may jump, and a server ask for a pause: neither is slowness.
    this.#waited += Math.min(this.#now().getTime() - this.#askedAt, longestPause)
    if (this.#waited < leastRate.milliseconds) return true
    const isEnough = this.#bytes >= leastRate.bytes
    this.#waited = 0
    this.#bytes = 0
    return isEnough
  }

  /**
   * Waits before the next attempt; after something new has arrived, not at all.
   *
   * @param asked the server's Retry-After in milliseconds
   * @throws failure if there were too many attempts
   */
  async wait(failure: Error, asked: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    this.#attempts++
    if (this.#attempts >= maxAttempts || (asked ?? 0) > longestAsked) throw failure
    const longest = Math.min(longestPause, firstPause * 2 ** (this.#attempts - 2))
    const pause = this.#attempts === 1 ? 0 : longest * (0.5 + this.#waiting.random() / 2)
    const length = Math.max(pause, asked ?? 0)
    this.#paused += length
    if (this.#paused > longestPaused) throw failure
    if (length > 0) await this.#waiting.sleep(length, signal)
  }
}

/**
 * Reads a Retry-After header: seconds, or a date. Source: RFC 9110, section 10.2.3.
 *
 * @returns milliseconds from now
 */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}
