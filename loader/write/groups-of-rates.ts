import type { GroupKeys } from '../collect/groups/group-keys.ts'
import type { Portion } from '../collect/portion.ts'
import type { FileWatch } from './file-watch.ts'
import { noReference } from './price-judge.ts'

/** Groups that are listed between two looks at the file: as many prices may name as many groups each. */
const groupsPerLook = 1 << 20

/** The groups that each rate of a portion names: its inline groups, and the references that make rows. */
export class GroupsOfRates {
  /** The keys of those that were listed last. */
  listed = new Uint32Array(64)
  readonly #portion: Portion
  readonly #keys: GroupKeys
  readonly #watch: FileWatch
  #listedSinceLook = 0

  /** @param portion whose references are those of `PriceJudge.judge` */
  constructor(portion: Portion, keys: GroupKeys, watch: FileWatch) {
    this.#watch = watch
    this.#portion = portion
    this.#keys = keys
  }

  /** How many groups the keys are of. */
  get keyCount(): number {
    return this.#keys.count
  }

  /** Lists the groups of a rate in `listed`. @returns how many there are. @throws as `FileWatch.look` */
  list(rate: number): number {
    const { inlineGroups, firstReferences, references } = this.#portion.numbers
    const first = firstReferences.items[rate] ?? 0
    const end = firstReferences.items[rate + 1] ?? 0
    if (this.listed.length <= end - first) this.listed = new Uint32Array(2 * (end - first))
    let count = 0
    const inline = inlineGroups.items[rate] ?? 0
    if (inline > 0) this.listed[count++] = this.#keys.ofInline(inline - 1)
    for (let index = first; index < end; index++) {
      const number = references.items[index] ?? noReference
      if (number !== noReference) this.listed[count++] = number
    }
    this.#listedSinceLook += count
    if (this.#listedSinceLook >= groupsPerLook) {
      this.#listedSinceLook = 0
      this.#watch.look()
    }
    return count
  }

  /** By group: how many prices name it. */
  countPrices(): Uint32Array {
    const prices = new Uint32Array(this.keyCount)
    for (let rate = 0; rate < this.#portion.rateCount; rate++) {
      const priced = this.#portion.pricesOf(rate)
      const count = this.list(rate)
      for (let at = 0; at < count; at++) {
        const group = this.listed[at] ?? 0
        prices[group] = (prices[group] ?? 0) + priced
      }
    }
    return prices
  }
}
