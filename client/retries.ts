/** Waits; tests pass a substitute. Rejects with the signal's reason if it aborts. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/** Sleeps in real time. */
export const sleepByClock: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })

const firstDelayMs = 500
const maxDelayMs = 20_000

/**
 * Backoff after a number of failures, in milliseconds: doubled each time, and half of it random, so that clients
 * spread.
 */
export function backoffMs(failures: number, random: () => number): number {
  const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1))
  return delay / 2 + (random() * delay) / 2
}
