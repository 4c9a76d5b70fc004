import { describe, expect, it } from 'vitest'
import { quantile } from './statistics.ts'

describe('a quantile', () => {
  it.each([
    [[3, 1, 2], 0.5, 2],
    [[4, 1, 3, 2], 0.5, 2.5],
    [[1, 2, 3, 4, 5], 0, 1],
    [[1, 2, 3, 4, 5], 1, 5],
    [[10, 20], 0.25, 12.5],
    [[7], 0.99, 7],
  ])('interpolates %j at %d to %d', (values, share, expected) => {
    expect(quantile(values, share)).toBe(expected)
  })

  it('returns NaN for an empty sample', () => {
    expect(quantile([], 0.5)).toBeNaN()
  })
})
