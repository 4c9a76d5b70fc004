/** The quantile of a sample, interpolated between neighbouring values. NaN for an empty sample. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  const position = (sorted.length - 1) * share
  const low = sorted[Math.floor(position)] ?? Number.NaN
  const high = sorted[Math.ceil(position)] ?? Number.NaN
  return low + (high - low) * (position - Math.floor(position))
}
