import { sortRange } from '../columns/groups/sorted-range.ts'
import { Float64List, Uint32List } from '../decode/number-list.ts'

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
  // By price of the code.
  readonly #prices = new Uint32List()
  readonly #amounts = new Float64List()
  readonly #kinds = new Uint32List()
  /** By kind, in the order of their first prices. */
  readonly #numbers = new Map<number, number>()
  readonly #counts: number[] = []
  #selected = new Float64Array(0)

  /** @param flags by price, of which those of outliers are set */
  constructor(flags: Uint8Array) {
    this.#flags = flags
  }

  /**
   * @param amount positive
   * @param kind the same for prices that are comparable
   */
  add(price: number, amount: number, kind: number): void {
    const number = this.#numbers.get(kind) ?? this.#numbers.size
    this.#numbers.set(kind, number)
    this.#counts[number] = (this.#counts[number] ?? 0) + 1
    this.#prices.push(price)
    this.#amounts.push(amount)
    this.#kinds.push(number)
  }

  /** Judges the prices since the last code. */
  endCode(): void {
    if (this.#counts.some((count) => count >= leastCompared)) this.#judge(this.#findMedians())
    for (const list of [this.#prices, this.#amounts, this.#kinds, this.#counts]) list.length = 0
    this.#numbers.clear()
  }

  /** By kind; of an even number the lower, and not a number for too few. */
  #findMedians(): Float64Array {
    const count = this.#amounts.length
    if (this.#selected.length < count) this.#selected = new Float64Array(2 * count)
    const starts = new Uint32Array(this.#counts.length + 1)
    for (const [kind, ofKind] of this.#counts.entries()) starts[kind + 1] = (starts[kind] ?? 0) + ofKind
    const ends = starts.slice()
    for (let index = 0; index < count; index++) {
      const kind = this.#kinds.items[index] ?? 0
      const to = ends[kind] ?? 0
      this.#selected[to] = this.#amounts.items[index] ?? 0
      ends[kind] = to + 1
    }
    return Float64Array.from(this.#counts, (ofKind, kind) => {
      const start = starts[kind] ?? 0
      if (ofKind < leastCompared) return Number.NaN
      sortRange(this.#selected, start, start + ofKind)
      return this.#selected[start + ((ofKind - 1) >> 1)] ?? 0
    })
  }

  #judge(medians: Float64Array): void {
    for (let index = 0; index < this.#amounts.length; index++) {
      const amount = this.#amounts.items[index] ?? 0
      const median = medians[this.#kinds.items[index] ?? 0] ?? 0
      if (amount > farOff * median) this.#flags[this.#prices.items[index] ?? 0] = priceFlag.outlierHigh
      else if (farOff * amount < median) this.#flags[this.#prices.items[index] ?? 0] = priceFlag.outlierLow
    }
  }
}
