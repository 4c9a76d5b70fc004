import { uint32At } from '../../schema/at.ts'
import type { GroupKeys } from '../collect/groups/group-keys.ts'
import type { Portion } from '../collect/portion.ts'
import type { FileWatch } from './file-watch.ts'
import { noReference } from './validation/reference-resolver.ts'

/**
 * Groups that are listed between two looks at the file's processor time. Many prices may name many groups each, so that
 * the number of prices does not bound the work.
 */
const groupsPerLook = 1 << 20

/** The groups that each rate of a portion names: its inline groups, and the references that make rows. */
export class GroupsOfRates {
  /** Keys of the groups of the rate that was listed last; behind them is room for longer lists. */
  rateKeys = new Uint32Array(64)
  readonly #portion: Portion
  readonly #keys: GroupKeys
  readonly #watch: FileWatch
  #listedSinceLook = 0

  /** @param portion whose references are those of `ReferenceResolver.resolve` */
  constructor(portion: Portion, keys: GroupKeys, watch: FileWatch) {
    this.#watch = watch
    this.#portion = portion
    this.#keys = keys
  }

  /** Number of groups that have keys. */
  get keyCount(): number {
    return this.#keys.count
  }

  /**
   * Lists the keys of a rate's groups in `rateKeys`.
   *
   * @returns number of keys
   * @throws as `FileWatch.look`
   */
  list(rate: number): number {
    const { inlineGroups, firstReferences, references } = this.#portion.numbers
    const first = uint32At(firstReferences.items, rate)
    const end = uint32At(firstReferences.items, rate + 1)
    if (this.rateKeys.length <= end - first) this.rateKeys = new Uint32Array(2 * (end - first))
    let count = 0
    const inline = uint32At(inlineGroups.items, rate)
    if (inline > 0) this.rateKeys[count++] = this.#keys.ofInline(inline - 1)
    for (let index = first; index < end; index++) {
      const number = uint32At(references.items, index)
      if (number !== noReference) this.rateKeys[count++] = number
    }
    this.#listedSinceLook += count
    if (this.#listedSinceLook >= groupsPerLook) {
      this.#listedSinceLook = 0
      this.#watch.look()
    }
    return count
  }

  /** Counts the prices that name each group. @returns the counts by group */
  countPrices(): Uint32Array {
    const prices = new Uint32Array(this.keyCount)
    for (let rate = 0; rate < this.#portion.rateCount; rate++) {
      const priced = this.#portion.pricesOf(rate)
      const count = this.list(rate)
      for (let place = 0; place < count; place++) {
        const group = uint32At(this.rateKeys, place)
        prices[group] = uint32At(prices, group) + priced
      }
    }
    return prices
  }
}
