import type { Networks } from './group-fields.ts'

/** Finds lists of networks again. Those of references that were read from their bytes are few objects; others are not. */
export class NetworkIndex {
  /** About the bytes of what is known. */
  bytes = 0
  readonly #byObject = new WeakMap<Networks, number>()
  readonly #byText = new Map<string, number>()

  /**
   * @param next the index of networks that are not known
   * @returns the same for networks that are equal
   */
  indexOf(networks: Networks, next: number): number {
    const met = this.#byObject.get(networks)
    if (met !== undefined) return met
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
