import { LoadRefused } from '../../fetch/load-refused.ts'
import type { Machine } from './machine.ts'

/**
 * Default for the seconds of processor time that a file may take for each megabyte of its JSON text. Generated files
 * of all kinds took 0.05 to 0.12: no honest file comes near it on a slow machine.
 */
export const defaultMaxCpu = 10

/** Megabytes for which any file may take processor time, however small it is: five minutes by default. */
const leastMegabytes = 30

/** Parts of a file that are read between two looks at the processor time: a look takes as long as a few of them. */
const partsPerLook = 1024

interface WatchOptions {
  readonly machine: Machine
  readonly maxCpu?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Ends the reading of a file when the load is stopped, and when the file takes far more processor time than its size
 * explains: whatever makes it so, the other plans of the load must not wait for it.
 */
export class FileWatch {
  readonly #file: string
  readonly #machine: Machine
  readonly #maxCpu: number
  readonly #signal: AbortSignal | undefined
  readonly #startedAt: number
  #bytes = 0
  #parts = 0

  /** @param file its path or address, for messages */
  constructor(file: string, { machine, maxCpu = defaultMaxCpu, signal }: WatchOptions) {
    this.#file = file
    this.#machine = machine
    this.#maxCpu = maxCpu
    this.#signal = signal
    this.#startedAt = machine.cpuSeconds()
  }

  /**
   * Notes JSON text of the file, or of one that it points to.
   *
   * @throws as `look`
   */
  noteText(bytes: number): void {
    this.#bytes += bytes
    this.look()
  }

  /** Looks once in a while, because a file may have millions of parts. @throws as `look` */
  notePart(): void {
    this.#parts++
    if (this.#parts % partsPerLook === 0) this.look()
  }

  /** @throws the reason of the signal if it is aborted; LoadRefused if the file has taken too much processor time */
  look(): void {
    this.#signal?.throwIfAborted()
    const seconds = this.#machine.cpuSeconds() - this.#startedAt
    const megabytes = this.#bytes / 1e6
    if (seconds <= this.#maxCpu * Math.max(megabytes, leastMegabytes)) return
    const used = `took ${Math.ceil(seconds)} s of processor time for ${megabytes.toFixed(1)} MB of JSON text`
    const allowed = `--max-cpu allows (${this.#maxCpu} s for each MB, ${leastMegabytes} of them at least)`
    throw new LoadRefused(this.#file, `${used}, more than ${allowed}: if you trust the file, raise --max-cpu`)
  }
}
