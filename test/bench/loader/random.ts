/** Numbers that a seed determines, in the distributions of payers' files. */
export interface Random {
  /** From 0 to less than 1. */
  (): number
  /** A whole number from 0, all equally likely. */
  below(limit: number): number
  /** A whole number from 0, small ones more likely by Zipf's law. */
  zipf(limit: number): number
  /** A whole number from 1 to `most`; the heavier its tail, the smaller `exponent`. Pareto's law. */
  tail(exponent: number, most: number): number
  pick<Value>(values: readonly Value[]): Value
  /** Picks early values more often, by Zipf's law. */
  pickEarly<Value>(values: readonly Value[]): Value
  shuffle<Value>(values: readonly Value[]): readonly Value[]
}

/** The generator "mulberry32", so that a file is the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  // The logarithm of the rank is uniform.
  const zipf = (limit: number, power = 1) => Math.floor((limit + 1) ** (next() ** power)) - 1
  const tail = (exponent: number, most: number) => Math.min(most, Math.floor((1 - next()) ** (-1 / exponent)))
  const at = <Value>(values: readonly Value[], index: number): Value => {
    const value = values[index]
    if (value === undefined) throw new RangeError('there is nothing to pick')
    return value
  }
  return Object.assign(next, {
    below,
    zipf,
    tail,
    pick: <Value>(values: readonly Value[]) => at(values, below(values.length)),
    pickEarly: <Value>(values: readonly Value[]) => at(values, zipf(values.length, 2)),
    shuffle: <Value>(values: readonly Value[]) =>
      values
        .map((value) => ({ value, position: next() }))
        .toSorted((a, b) => a.position - b.position)
        .map(({ value }) => value),
  })
}
