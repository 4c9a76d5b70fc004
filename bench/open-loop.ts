import { setTimeout as sleep } from 'node:timers/promises'

/** What calls at a fixed rate came to. */
export interface OpenLoop {
  /** Milliseconds from when each call was due, so that a service that stalls is seen to. */
  readonly times: readonly number[]
  /** Calls by what was wrong with them; empty where nothing was. */
  readonly faults: ReadonlyMap<string, number>
}

/**
 * Makes a call `perSecond` times a second until `signal` says so, whether the calls before have come back or not.
 *
 * @param call throws where its answer is not as it must be
 */
export async function callSteadily(
  perSecond: number,
  signal: AbortSignal,
  call: (index: number) => Promise<void>,
): Promise<OpenLoop> {
  const times: number[] = []
  const faults = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  const start = performance.now()
  for (let index = 0; !signal.aborted; index++) {
    const due = start + (index * 1000) / perSecond
    const early = due - performance.now()
    if (early > 1) await sleep(early)
    const made = call(index)
      .catch((error: unknown) => {
        const name = String(error)
        faults.set(name, (faults.get(name) ?? 0) + 1)
      })
      .then(() => {
        times.push(performance.now() - due)
        pending.delete(made)
      })
    pending.add(made)
  }
  await Promise.all(pending)
  return { times, faults }
}
