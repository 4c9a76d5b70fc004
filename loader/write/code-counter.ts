import { uint32At } from '../../schema/at.ts'
import { Uint32List } from '../decode/number-list.ts'

/** Counts the billing codes of provider groups. */
export class CodeCounter {
  /** By group: one more than its last code; 0 before its first. */
  readonly #lastCodes: Uint32Array
  readonly #counts: Uint32Array
  /** The groups that have a code. */
  readonly #countedGroups = new Uint32List()

  /** @param groupCount number of groups */
  constructor(groupCount: number) {
    this.#lastCodes = new Uint32Array(groupCount)
    this.#counts = new Uint32Array(groupCount)
  }

  /**
   * Counts a code for each group that does not have it yet. The codes of a count come in order.
   *
   * @param count number of groups at the start of the array
   */
  add(groups: Uint32Array, count: number, code: number): void {
    for (let place = 0; place < count; place++) {
      const group = uint32At(groups, place)
      if (uint32At(this.#lastCodes, group) === code + 1) continue
      this.#lastCodes[group] = code + 1
      const codes = uint32At(this.#counts, group)
      if (codes === 0) this.#countedGroups.push(group)
      this.#counts[group] = codes + 1
    }
  }

  /** Ends the count and begins the next one. @returns the groups with at least `least` codes */
  take(least: number): Uint32Array {
    const counted = this.#countedGroups.view()
    const groups = counted.filter((group) => uint32At(this.#counts, group) >= least)
    for (const group of counted) {
      this.#lastCodes[group] = 0
      this.#counts[group] = 0
    }
    this.#countedGroups.length = 0
    return groups
  }
}
