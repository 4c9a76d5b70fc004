import { oncePer } from '../core/once-per.ts'

/** Limits the number of tasks at the same time. The others wait in the order of their requests. */
export class Slots {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Waits for a free slot. @returns the slot, which is free again when it is first disposed */
  async take(): Promise<Disposable> {
    if (this.#taken < this.#limit) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return
        isTaken = false
        // The next task takes over the slot.
        const next = this.#waiting.shift()
        if (next === undefined) this.#taken--
        else next()
      },
    }
  }
}

/** Limits the number of files fetched from a host at the same time. Files wait in the order of their requests. */
export class HostSlots {
  readonly #slotsOf: (host: string) => Slots

  constructor(limit: number) {
    this.#slotsOf = oncePer(() => new Slots(limit))
  }

  /** Waits for a free slot of the address's host. @returns the slot, which is free again when it is first disposed */
  take(address: string): Promise<Disposable> {
    return this.#slotsOf(URL.parse(address)?.host ?? '').take()
  }
}
