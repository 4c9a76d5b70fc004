import { setTimeout } from 'node:timers/promises'

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

const firstPause = 1000
const longestPause = 60_000

/** The longest pause that a server may ask for. */
const longestAsked = 600_000

/** Limits attempts that bring nothing new, and paces them with growing pauses. */
export class Patience {
  readonly #waiting: Waiting
  #attempts = 0

  constructor(waiting: Waiting) {
    this.#waiting = waiting
  }

  /** Something new has arrived: the next failure is a first one. */
  reset(): void {
    this.#attempts = 0
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
    if (Math.max(pause, asked ?? 0) > 0) await this.#waiting.sleep(Math.max(pause, asked ?? 0), signal)
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
