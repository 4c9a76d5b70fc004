import { at, float64At } from '../../../schema/at.ts'
import { NumberPool } from '../../collect/distinct/number-pool.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { priceFlag } from './amount-flags.ts'

/** Minimum number of prices that are compared: the median of fewer prices says little. */
const leastCompared = 11

/** Ratio of an amount to the median, or of the median to an amount, above which the amount is an outlier. */
const farOff = 10

/** Finds the prices of a billing code whose amounts are far from the median of comparable prices. */
export class OutlierFinder {
  readonly #flags: Uint8Array
  readonly #kinds: NumberPool
  /** By kind of price, in the order of `#kinds`: the prices of the code, and their amounts. */
  readonly #comparable: { readonly prices: number[]; readonly amounts: number[] }[] = []
  // Most prices have the same kind as the previous price.
  #lastKind = -1
  #lastPlace = 0

  /** @param flags by price; the finder sets the flags of outliers */
  constructor(flags: Uint8Array, newSeed: NewSeed) {
    this.#flags = flags
    this.#kinds = new NumberPool(newSeed)
  }

  /** Number of slots of the hash table that were looked at so far. */
  get probes(): number {
    return this.#kinds.probes
  }

  /**
   * @param amount positive
   * @param kind the same for prices that are comparable
   */
  add(price: number, amount: number, kind: number): void {
    if (kind !== this.#lastKind) {
      this.#lastKind = kind
      this.#lastPlace = this.#kinds.add(kind)
    }
    if (this.#lastPlace === this.#comparable.length) this.#comparable.push({ prices: [], amounts: [] })
    const comparable = at(this.#comparable, this.#lastPlace)
    comparable.prices.push(price)
    comparable.amounts.push(amount)
  }

  /** Flags the outliers among the prices since the last code. */
  endCode(): void {
    for (const { prices, amounts } of this.#comparable) {
      if (amounts.length < leastCompared) continue
      // Between two middle amounts, the lower one counts.
      const median = float64At(new Float64Array(amounts).sort(), (amounts.length - 1) >> 1)
      for (const [index, amount] of amounts.entries()) {
        if (amount > farOff * median) this.#flags[at(prices, index)] = priceFlag.outlierHigh
        else if (farOff * amount < median) this.#flags[at(prices, index)] = priceFlag.outlierLow
      }
    }
    this.#kinds.clear()
    this.#comparable.length = 0
    this.#lastKind = -1
  }
}
