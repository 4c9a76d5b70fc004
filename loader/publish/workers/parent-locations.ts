import { type Locations, readLocation } from '../../fetch/remote/signed-locations.ts'
import type { FromWorker } from './messages.ts'

/** Where a worker's files can be fetched: the load knows it, and lists all files again when signatures expire. */
export class ParentLocations implements Locations {
  readonly #send: (message: FromWorker) => void
  readonly #known = new Map<string, string>()
  readonly #asked = new Map<string, PromiseWithResolvers<string | undefined>>()

  constructor(send: (message: FromWorker) => void) {
    this.#send = send
  }

  learn(location: string): string {
    const { address, url } = readLocation(location)
    if (address !== url || !this.#known.has(address)) this.#known.set(address, url)
    return address
  }

  current(address: string): string {
    return this.#known.get(address) ?? address
  }

  renew(address: string, denied: string): Promise<string | undefined> {
    const asked = this.#asked.get(address) ?? Promise.withResolvers<string | undefined>()
    this.#asked.set(address, asked)
    this.#send({ kind: 'renew', address, denied })
    return asked.promise
  }

  /** Takes the load's answer. */
  renewed(address: string, location: string | undefined): void {
    if (location !== undefined) this.learn(location)
    this.#asked.get(address)?.resolve(location)
    this.#asked.delete(address)
  }
}
