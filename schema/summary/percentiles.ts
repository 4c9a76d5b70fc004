import { at } from '../at.ts'

/** A percentile of a summary, and the column with it. */
interface Percentile {
  readonly column: string
  readonly percent: number
  /** Least number of values for which it is given. */
  readonly leastValues: number
}

/**
 * Fewer values than this say little of what is usual. Source: CMS suppresses cells below 11, ResDAC "CMS cell size
 * suppression policy".
 */
export const few = 11

/** Of fewer values than this only the least, the middle and the greatest are given. */
export const veryFew = 5

/** The percentiles of a summary, ascending. */
export const percentiles: readonly Percentile[] = [
  { column: 'p10', percent: 10, leastValues: few },
  { column: 'p25', percent: 25, leastValues: veryFew },
  { column: 'median', percent: 50, leastValues: 1 },
  { column: 'p75', percent: 75, leastValues: veryFew },
  { column: 'p90', percent: 90, leastValues: few },
]

/**
 * Returns the position of a percentile among ascending values, from 0: the least value that at least this share of them
 * does not exceed. It is SQL's `percentile_disc`, so a percentile is always a published amount.
 *
 * @param count of the values, at least 1
 */
const positionOfPercentile = (count: number, percent: number): number =>
  // In whole numbers: 0.1 * 30 is more than 3.
  Math.max(0, Math.ceil((count * percent) / 100) - 1)

/**
 * Returns a percentile of ascending values.
 *
 * @throws RangeError if there are none
 */
export const percentileOf = <Value>(ascending: readonly Value[], percent: number): Value =>
  at(ascending, positionOfPercentile(ascending.length, percent))
