/** Limits how much is done at the same time. Others wait in the order of their requests. */
export class Slots {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** @returns the slot, which is free again when it is first disposed */
  async take(): Promise<Disposable> {
    if (this.#taken < this.#limit) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return
        isTaken = false
        // The next takes over the slot.
        const next = this.#waiting.shift()
        if (next === undefined) this.#taken--
        else next()
      },
    }
  }
}

/** Limits how many files are fetched from a host at the same time. Files wait in the order of their requests. */
export class HostSlots {
  readonly #limit: number
  readonly #hosts = new Map<string, Slots>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** @returns the slot, which is free again when it is first disposed */
  take(address: string): Promise<Disposable> {
    const name = URL.parse(address)?.host ?? ''
    const slots = this.#hosts.get(name) ?? new Slots(this.#limit)
    this.#hosts.set(name, slots)
    return slots.take()
  }
}
