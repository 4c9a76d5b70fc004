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
 * Gives the signs of life of one load until it is disposed, and stops its work when an operator has cancelled it, or it
 * has ended.
 *
 * @returns the signal that ends the load's work, and `look`, which gives a sign now and throws if the work is to stop
 */
export function watchLoad(loadId: string, { records, now, repeat, signal: given }: LoadDeps) {
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, given].filter((each) => each !== undefined))
  const look = async () => {
    const state = await records.touch(loadId, now())
    if (state === 'cancelling') stopping.abort(new LoadCancelled())
    else if (state !== undefined && state !== 'running') stopping.abort(new LoadEnded(state))
    signal.throwIfAborted()
  }
  // A sign that cannot be given now is given the next time.
  const repeating = repeat?.(signSeconds, () => void look().catch(() => undefined))
  return { signal, look, [Symbol.dispose]: () => repeating?.stop() }
}
