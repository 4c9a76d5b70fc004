import { percentileOf } from '../../../schema/summary/percentiles.ts'

/** The ways in which a price differs between two results. */
export type ChangeKind = 'added' | 'removed' | 'changed'

/** Counts of prices, and the medians of the relative changes of prices that both results have. */
export interface Figures {
  readonly changed: number
  readonly unchanged: number
  readonly added: number
  readonly removed: number
  /** Changed prices that are in no median because an amount is doubtful. */
  readonly doubtful: number
  /** Other changed prices that are in no median: their amounts cannot be paired, or the old one is zero. */
  readonly unmeasured: number
  /** Median over all prices that both results have, in percent; unchanged ones count as 0. Null if there are none. */
  readonly median_percent: number | null
  /** Median over the prices that changed. */
  readonly median_percent_of_changed: number | null
}

/** A price of one or both results, as figures count it. */
export interface CountedPrice {
  readonly kind: ChangeKind | 'unchanged'
  /** Relative change; undefined if it is unknown. */
  readonly ratio: number | undefined
  readonly isDoubtful: boolean
}

/** Counts prices for `Figures`. It holds one number for each price that both results have. */
export class FigureCounter {
  readonly #counts = { changed: 0, unchanged: 0, added: 0, removed: 0, doubtful: 0, unmeasured: 0 }
  readonly #ratios: number[] = []

  add({ kind, ratio, isDoubtful }: CountedPrice): void {
    this.#counts[kind] += 1
    if (kind === 'added' || kind === 'removed') return
    if (ratio !== undefined && !isDoubtful) this.#ratios.push(ratio)
    else if (kind === 'changed') this.#counts[isDoubtful ? 'doubtful' : 'unmeasured'] += 1
  }

  get figures(): Figures {
    const ratios = Float64Array.from(this.#ratios).sort()
    return {
      ...this.#counts,
      median_percent: medianPercent(ratios),
      median_percent_of_changed: medianPercent(ratios.filter((ratio) => ratio !== 0)),
    }
  }
}

const medianPercent = (ascending: Float64Array): number | null =>
  ascending.length === 0 ? null : toPercent(percentileOf([...ascending], 50))

/** Returns a relative change in percent, with two digits after the point. */
export const toPercent = (ratio: number): number =>
  // Without the sum, a tiny fall would be -0.
  Math.round(ratio * 10_000) / 100 + 0

/** Returns the relative change of an amount; undefined from zero. */
export function relativeChange(before: bigint, after: bigint): number | undefined {
  if (before === after) return 0
  return before === 0n ? undefined : Number(after - before) / Math.abs(Number(before))
}

const ranks = { changed: 0, unchanged: 0, added: 2, removed: 3 } as const

/** Ranks differences for a list: changes first, then those with a remark, added and removed ones. */
export const rankChange = (kind: CountedPrice['kind'], hasRemark: boolean): number =>
  kind === 'changed' && hasRemark ? 1 : ranks[kind]
