/** Statistics to compare samples of times. Random numbers are passed in. */

/** Times by the name of what was timed. */
export type Samples = ReadonlyMap<string, readonly number[]>

/** The quantile of a sample, interpolated between neighbouring values. NaN for an empty sample. */
export function quantile(values: readonly number[], share: number): number {
  return quantileOfSorted(Float64Array.from(values).sort(), share)
}

function quantileOfSorted(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}

/**
 * Mann-Whitney test that neither sample tends to be larger. It assumes nothing about the distribution, so a few long
 * times do not decide it; normal approximation with tie correction, for samples of more than twenty.
 *
 * @returns the two-sided p-value; 1 if all values are the same
 */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))]
  all.sort((one, other) => one.value - other.value)
  let ranksOfA = 0
  let ties = 0
  for (let from = 0; from < all.length; ) {
    let to = from
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1
    const count = to - from
    const rank = (from + 1 + to) / 2
    for (let at = from; at < to; at++) if (all[at]?.isA) ranksOfA += rank
    ties += count ** 3 - count
    from = to
  }
  const [m, n, total] = [a.length, b.length, all.length]
  const u = ranksOfA - (m * (m + 1)) / 2
  const variance = ((m * n) / 12) * (total + 1 - ties / (total * (total - 1)))
  return variance > 0 ? twoSided((u - (m * n) / 2) / Math.sqrt(variance)) : 1
}

/**
 * Welch's test that two samples have the same mean, regardless of their variances. Uses the normal approximation of t,
 * for samples of more than a hundred.
 *
 * @returns the two-sided p-value; 1 if neither sample varies and the means are the same
 */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [one, other] = [momentsOf(a), momentsOf(b)]
  const difference = one.mean - other.mean
  const error = Math.sqrt(one.variance / a.length + other.variance / b.length)
  return difference === 0 ? 1 : twoSided(difference / error)
}

function momentsOf(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, variance }
}

/** The two-sided p-value of a standard normal value. Source: Abramowitz and Stegun, 7.1.26; error below 1.5e-7. */
function twoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  return Math.min(1, polynomial * Math.exp(-x * x))
}

export interface Interval {
  readonly low: number
  readonly high: number
}

/**
 * Confidence interval of the difference of the medians (a - b), by the percentile bootstrap.
 *
 * @param random returns numbers from 0 to below 1
 */
export function differenceOfMedians(
  a: readonly number[],
  b: readonly number[],
  random: () => number,
  { resamples = 1000, confidence = 0.99 } = {},
): Interval {
  const [sortedA, sortedB] = [Float64Array.from(a).sort(), Float64Array.from(b).sort()]
  const differences = Array.from(
    { length: resamples },
    () => medianOfResample(sortedA, random) - medianOfResample(sortedB, random),
  )
  return { low: quantile(differences, (1 - confidence) / 2), high: quantile(differences, (1 + confidence) / 2) }
}

/** Draws sorted positions instead of values: the median of the positions gives the median of the resample. */
function medianOfResample(sorted: Float64Array, random: () => number): number {
  const places = Float64Array.from(sorted, () => Math.floor(random() * sorted.length)).sort()
  return quantileOfSorted(
    places.map((place) => sorted[place] ?? Number.NaN),
    0.5,
  )
}

/** Shuffles items (Fisher and Yates). */
export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items]
  for (let at = shuffled.length - 1; at > 0; at--) {
    const [item] = shuffled.splice(Math.floor(random() * (at + 1)), 1)
    if (item !== undefined) shuffled.push(item)
  }
  return shuffled
}
