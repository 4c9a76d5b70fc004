import { setTimeout as sleep } from 'node:timers/promises'

/** The outcome of calls at a fixed rate. */
export interface OpenLoop {
  /** Milliseconds since each call was due, so that stalls of the service show up. */
  readonly times: readonly number[]
  /** Number of calls per fault; empty if there were none. */
  readonly faults: ReadonlyMap<string, number>
}

/**
 * Makes `perSecond` calls a second until `signal` is aborted, without waiting for earlier calls to return.
 *
 * @param call throws if its response is wrong
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
