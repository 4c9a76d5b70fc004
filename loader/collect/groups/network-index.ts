import type { Networks } from './group-fields.ts'

/**
 * Finds lists of networks that are stored already. References read from their bytes share the objects of few lists; for
 * others, lists are compared by their text.
 */
export class NetworkIndex {
  /** Approximate memory of the index, in bytes. */
  bytes = 0
  readonly #byObject = new WeakMap<Networks, number>()
  readonly #byText = new Map<string, number>()

  /**
   * @param next index for networks that are new
   * @returns the same index for equal networks
   */
  indexOf(networks: Networks, next: number): number {
    const sharedIndex = this.#byObject.get(networks)
    if (sharedIndex !== undefined) return sharedIndex
    const text = JSON.stringify(networks)
    const index = this.#byText.get(text) ?? next
    if (index === next) {
      this.bytes += 400 + 4 * text.length
      this.#byText.set(text, index)
    }
    this.#byObject.set(networks, index)
    return index
  }
}
