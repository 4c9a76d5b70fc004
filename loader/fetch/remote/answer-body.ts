import type { Dispatcher } from 'undici'

/** Bytes that wait for their reader before the connection is paused. */
const maxWaiting = 1 << 20

export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Receives an answer. Unlike a Node stream it hands over all bytes that have arrived before it reports a cut, so that
 * none is fetched twice.
 */
export class AnswerBody implements Dispatcher.DispatchHandler {
  readonly #head = Promise.withResolvers<{ readonly status: number; readonly headers: AnswerHeaders }>()
  readonly #waiting: Buffer[] = []
  #bytes = 0
  #controller: Dispatcher.DispatchController | undefined
  #hasEnded = false
  #failure: Error | undefined
  #wake: () => void = () => undefined

  constructor() {
    // The head may fail after its reader has been aborted.
    this.#head.promise.catch(() => undefined)
  }

  /** @throws whatever kept the answer from starting */
  get head(): Promise<{ readonly status: number; readonly headers: AnswerHeaders }> {
    return this.#head.promise
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure !== undefined) controller.abort(this.#failure)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.#head.resolve({ status, headers })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#waiting.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= maxWaiting) controller.pause()
    this.#wake()
  }

  onResponseEnd(): void {
    this.#hasEnded = true
    this.#wake()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#failure = error
    this.#head.reject(error)
    this.#wake()
  }

  /** Ends the request. */
  abort(reason: Error): void {
    if (this.#hasEnded || this.#failure !== undefined) return
    this.#failure = reason
    this.#head.reject(reason)
    this.#controller?.abort(reason)
    this.#wake()
  }

  /** @throws the error that cut the body, after all bytes before it */
  async *read(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#waiting.shift()
      if (chunk !== undefined) {
        this.#bytes -= chunk.length
        if (this.#controller?.paused === true && this.#bytes < maxWaiting / 2) this.#controller.resume()
        yield chunk
      } else if (this.#failure !== undefined) throw this.#failure
      else if (this.#hasEnded) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
