import { PrintableError } from '../schema/printable-error.ts'
import type { LoadDeps } from './load-request.ts'

/** An operator cancelled the load. */
export class LoadCancelled extends PrintableError {
  override readonly name = 'LoadCancelled'
  constructor() {
    super('the load was cancelled; the previous content is still active')
  }
}

/** Seconds between the signs of life of a load. */
export const signSeconds = 30

/** Gives the signs of life of one load, and ends it when an operator has cancelled it. */
export class LoadWatch {
  readonly #loadId: string
  readonly #deps: LoadDeps
  readonly #cancelled = new AbortController()
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
    return signal === undefined ? this.#cancelled.signal : AbortSignal.any([signal, this.#cancelled.signal])
  }

  get isCancelled(): boolean {
    return this.#cancelled.signal.aborted
  }

  /** Gives a sign of life, and looks whether the load was cancelled. */
  async look(): Promise<void> {
    const { records, contents, now } = this.#deps
    await contents.touchLoad(this.#loadId, now())
    if ((await records.touch(this.#loadId, now())) === 'cancelling') this.#cancelled.abort(new LoadCancelled())
  }

  stop(): void {
    this.#repeating?.stop()
  }
}
