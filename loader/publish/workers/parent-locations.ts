import { SignedLocations } from '../../fetch/remote/signed-locations.ts'
import type { FromWorker } from './messages.ts'

/** Where a worker's files can be fetched: the load lists all files again when signatures expire. */
export class ParentLocations extends SignedLocations {
  readonly #send: (message: FromWorker) => void
  readonly #asked = new Map<string, PromiseWithResolvers<string | undefined>>()

  constructor(send: (message: FromWorker) => void) {
    super(() => new Date())
    this.#send = send
  }

  override renew(address: string, denied: string): Promise<string | undefined> {
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
