import { NumberPool } from '../collect/distinct/number-pool.ts'
import type { NewSeed } from '../decode/keyed-hash.ts'

/** What can be odd about a price by itself, by number; the first is nothing. */
export const priceFlags = [[], ['outlier_high'], ['outlier_low'], ['placeholder']] as const
export const priceFlag = { outlierHigh: 1, outlierLow: 2, placeholder: 3 } as const

/** How many prices are compared at least: of fewer, a median says little. */
const leastCompared = 11
/** How many times the median, or which part of it, is too far away. */
const farOff = 10

/** Finds the prices of a billing code whose amounts are far from the median of those that are comparable. */
export class OutlierFinder {
  readonly #flags: Uint8Array
  readonly #kinds: NumberPool
  /** Prices of the code that are comparable, and their amounts, by the place of their kind. */
  readonly #alike: { readonly prices: number[]; readonly amounts: number[] }[] = []
  // Most prices are of the kind of the one before.
  #lastKind = -1
  #lastPlace = 0

  /** @param flags by price, of which those of outliers are set */
  constructor(flags: Uint8Array, newSeed: NewSeed) {
    this.#flags = flags
    this.#kinds = new NumberPool(newSeed)
  }

  /** Slots of the hash table of kinds that were looked at so far. */
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
    let alike = this.#alike[this.#lastPlace]
    if (alike === undefined) {
      alike = { prices: [], amounts: [] }
      this.#alike.push(alike)
    }
    alike.prices.push(price)
    alike.amounts.push(amount)
  }

  /** Judges the prices since the last code. */
  endCode(): void {
    for (const { prices, amounts } of this.#alike) {
      if (amounts.length < leastCompared) continue
      // Of an even number the lower.
      const median = new Float64Array(amounts).sort()[(amounts.length - 1) >> 1] ?? 0
      for (let index = 0; index < amounts.length; index++) {
        const amount = amounts[index] ?? 0
        if (amount > farOff * median) this.#flags[prices[index] ?? 0] = priceFlag.outlierHigh
        else if (farOff * amount < median) this.#flags[prices[index] ?? 0] = priceFlag.outlierLow
      }
    }
    this.#kinds.clear()
    this.#alike.length = 0
    this.#lastKind = -1
  }
}
