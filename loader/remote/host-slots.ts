import { Slots } from '../slots.ts'

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
