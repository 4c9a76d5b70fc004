import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differenceOfMedians, mannWhitney, quantile, shuffle, welch } from '../../bench/statistics.ts'

/** A random generator with a fixed seed (mulberry32). */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Realistic times: mostly near a centre, occasionally very long. */
function times(count: number, random: () => number, shift = 0): readonly number[] {
  return Array.from({ length: count }, () => 100 + shift + 20 * random() + (random() < 0.02 ? 1000 * random() : 0))
}

describe('a quantile', () => {
  it.each([
    [[3, 1, 2], 0.5, 2],
    [[4, 1, 3, 2], 0.5, 2.5],
    [[1, 2, 3, 4, 5], 0, 1],
    [[1, 2, 3, 4, 5], 1, 5],
    [[10, 20], 0.25, 12.5],
    [[7], 0.99, 7],
  ])('of %j at %d is %d', (values, share, expected) => {
    expect(quantile(values, share)).toBe(expected)
  })

  it('of an empty sample is NaN', () => {
    expect(quantile([], 0.5)).toBeNaN()
  })
})

describe('the significance tests', () => {
  // Worked out by hand: U = 0 of 16, mean 8, variance 4 * 4 * 9 / 12 = 12, z = -2.3094.
  it('give the p-value of the normal approximation', () => {
    expect(mannWhitney([1, 2, 3, 4], [5, 6, 7, 8])).toBeCloseTo(0.02092, 4)
    // Means 2.5 and 3.5, variances 5/3: z = -1 / sqrt(5/6) = -1.0954.
    expect(welch([1, 2, 3, 4], [2, 3, 4, 5])).toBeCloseTo(0.2733, 3)
  })

  it('correct for ties', () => {
    // Ranks 1.5 and 3.5 twice each: U = 0 of 4, mean 2, variance 4 / 12 * (5 - 12 / 12) = 4/3, z = -1.7321.
    expect(mannWhitney([1, 1], [2, 2])).toBeCloseTo(0.0833, 3)
    expect(mannWhitney([5, 5, 5], [5, 5, 5])).toBe(1)
    expect(welch([5, 5], [5, 5])).toBe(1)
  })

  it('do not depend on the order of the samples', () => {
    const sample = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 3, maxLength: 30 })
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        expect(mannWhitney(a, b)).toBeCloseTo(mannWhitney(b, a), 9)
        expect(welch(a, b)).toBe(welch(b, a))
      }),
    )
  })

  it('report samples of one source as different at about the nominal rate', () => {
    const random = chance(1)
    const found = Array.from({ length: 400 }, () => mannWhitney(times(200, random), times(200, random)))
    const share = found.filter((p) => p < 0.05).length / found.length
    expect(share).toBeGreaterThan(0.02)
    expect(share).toBeLessThan(0.09)
  })

  it('detect a shift of a tenth of the spread in a few thousand samples', () => {
    const random = chance(2)
    const [one, other] = [times(4000, random), times(4000, random, 2)]
    expect(mannWhitney(one, other)).toBeLessThan(1e-6)
    const { low, high } = differenceOfMedians(other, one, random)
    expect(low).toBeGreaterThan(0)
    expect(high).toBeLessThan(4)
  })
})

describe('the interval of the difference of medians', () => {
  it('contains the difference, and 0 if there is none', () => {
    const random = chance(3)
    const { low, high } = differenceOfMedians(times(1000, random), times(1000, random), random)
    expect(low).toBeLessThan(0)
    expect(high).toBeGreaterThan(0)
  })

  it('is a single point if nothing varies', () => {
    const interval = differenceOfMedians([5, 5, 5], [3, 3, 3], chance(4), { resamples: 10 })
    expect(interval).toEqual({ low: 2, high: 2 })
  })
})

describe('a shuffle', () => {
  it('contains each item once, in any order', () => {
    const random = chance(5)
    const orders = Array.from({ length: 600 }, () => shuffle(['a', 'b', 'c'], random).join(''))
    expect([...new Set(orders)].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba'])
    expect(orders.filter((order) => order === 'abc').length).toBeGreaterThan(60)
    expect(orders.filter((order) => order === 'abc').length).toBeLessThan(140)
  })
})
