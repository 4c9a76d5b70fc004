import { type LoadState, signSeconds } from '../../core/loads/load-record.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { LoadDeps } from '../publish/load-request.ts'

/** An operator cancelled the load. */
export class LoadCancelled extends PrintableError {
  constructor() {
    super('the load was cancelled; the previous content is still active')
  }
}

/** Another process has ended the load. */
export class LoadEnded extends PrintableError {
  constructor(state: LoadState) {
    super(`the load has ended meanwhile: it is ${state}`)
  }
}

export type LoadWatch = ReturnType<typeof watchLoad>

/**
 * Gives the signs of life of one load, and stops its work when an operator has cancelled it, or it has ended.
 *
 * @returns the signal that ends the load's work
 */
export function watchLoad(loadId: string, { records, now, repeat, signal }: LoadDeps) {
  const stopped = new AbortController()
  /** Gives a sign of life, and looks whether the load was cancelled. */
  const look = async () => {
    const state = await records.touch(loadId, now())
    if (state === 'cancelling') stopped.abort(new LoadCancelled())
    else if (state !== undefined && state !== 'running') stopped.abort(new LoadEnded(state))
  }
  // A sign that cannot be given now is given the next time.
  const repeating = repeat?.(signSeconds, () => void look().catch(() => undefined))
  const signals = [stopped.signal, signal].filter((each) => each !== undefined)
  return { signal: AbortSignal.any(signals), look, stop: () => repeating?.stop() }
}
