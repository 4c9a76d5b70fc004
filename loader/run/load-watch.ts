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

/** Gives the signs of life of one load, and stops its work when an operator has cancelled it, or it has ended. */
export class LoadWatch {
  readonly #loadId: string
  readonly #deps: LoadDeps
  readonly #stopped = new AbortController()
  readonly #repeating: { stop(): void } | undefined

  constructor(loadId: string, deps: LoadDeps) {
    this.#loadId = loadId
    this.#deps = deps
    // A sign that cannot be given now is given the next time.
    this.#repeating = deps.repeat?.(signSeconds, () => void this.look().catch(() => undefined))
  }

  /** Ends the load's work. */
  get signal(): AbortSignal {
    const { signal } = this.#deps
    return signal === undefined ? this.#stopped.signal : AbortSignal.any([signal, this.#stopped.signal])
  }

  /** Gives a sign of life, and looks whether the load was cancelled. */
  async look(): Promise<void> {
    const { records, now } = this.#deps
    const state = await records.touch(this.#loadId, now())
    if (state === 'cancelling') this.#stopped.abort(new LoadCancelled())
    else if (state !== undefined && state !== 'running') this.#stopped.abort(new LoadEnded(state))
  }

  stop(): void {
    this.#repeating?.stop()
  }
}
