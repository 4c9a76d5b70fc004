import { printable } from './printable.ts'
import { formatSeconds } from './table.ts'
import type { Output, World } from './world.ts'

/** Seconds between lines in a pipe, so that a log shows that work continues. */
const heartbeatSeconds = 30
/** Milliseconds between updates of a live line. */
const pauseMs = 100

/**
 * Shows the progress of a command: on a terminal one line that changes, in a pipe a line at each step and one every 30
 * seconds, and nothing if it is quiet.
 */
export class Progress {
  readonly #output: Output
  readonly #isQuiet: boolean
  readonly #now: () => number
  readonly #timer: { stop(): void }
  #latest: (() => string) | undefined
  #paintedAt = Number.NEGATIVE_INFINITY
  #isOpen = false

  constructor({ errors, now, repeat }: Pick<World, 'errors' | 'now' | 'repeat'>, isQuiet: boolean) {
    this.#output = errors
    this.#isQuiet = isQuiet
    this.#now = now
    this.#timer = repeat(errors.isTTY ? 1 : heartbeatSeconds, () => {
      if (errors.isTTY) this.#paint()
      else if (this.#latest !== undefined) this.say(this.#latest())
    })
  }

  /** Writes a line that is not cleared. */
  say(line: string): void {
    if (this.#isQuiet) return
    this.#clear()
    this.#output.write(`${printable(line)}\n`)
  }

  /** Writes a warning, which a quiet command also prints. */
  warn(line: string): void {
    this.#clear()
    this.#output.write(`warning: ${printable(line)}\n`)
  }

  /** Describes the current step; a terminal shows it at once. */
  show(describe: () => string): void {
    this.#latest = describe
    if (this.#output.isTTY && this.#now() - this.#paintedAt >= pauseMs) this.#paint()
  }

  /** Says that a step of unknown length begins, and then shows how long it has taken. */
  begin(step: string): void {
    this.say(step)
    this.showTime()
  }

  /** Shows how long it has been since now. */
  showTime(): void {
    const startedAt = this.#now()
    this.show(() => `  ${formatSeconds(Math.round((this.#now() - startedAt) / 1000))} so far`)
  }

  /** Ends the current step. */
  end(): void {
    this.#timer.stop()
    this.#clear()
    this.#latest = undefined
  }

  #paint(): void {
    if (this.#isQuiet || this.#latest === undefined) return
    this.#paintedAt = this.#now()
    this.#output.clearLine()
    this.#output.write(printable(this.#latest()).slice(0, (this.#output.columns || 80) - 1))
    this.#isOpen = true
  }

  #clear(): void {
    if (this.#isOpen) this.#output.clearLine()
    this.#isOpen = false
    this.#paintedAt = Number.NEGATIVE_INFINITY
  }
}
