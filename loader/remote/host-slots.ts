/** Limits how many files are fetched from a host at the same time. Files wait in the order of their requests. */
export class HostSlots {
  readonly #limit: number
  readonly #hosts = new Map<string, { taken: number; readonly waiting: (() => void)[] }>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** @returns the slot, which is free again when it is first disposed */
  async take(address: string): Promise<Disposable> {
    const name = URL.parse(address)?.host ?? ''
    const host = this.#hosts.get(name) ?? { taken: 0, waiting: [] }
    this.#hosts.set(name, host)
    if (host.taken < this.#limit) host.taken++
    else await new Promise<void>((resolve) => host.waiting.push(resolve))
    let isTaken = true
    return {
      [Symbol.dispose]() {
        if (!isTaken) return
        isTaken = false
        // The next file takes over the slot.
        const next = host.waiting.shift()
        if (next === undefined) host.taken--
        else next()
      },
    }
  }
}
