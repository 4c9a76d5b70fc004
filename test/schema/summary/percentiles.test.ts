import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { few, percentileOf, percentiles, veryFew } from '../../../schema/summary/percentiles.ts'

/** The least value that at least a share of the values does not exceed, found by trying all of them. */
const leastThatReaches = (values: readonly number[], percent: number) =>
  Math.min(
    ...values.filter(
      (candidate) => values.filter((value) => value <= candidate).length * 100 >= values.length * percent,
    ),
  )

describe('a percentile', () => {
  it('chooses the least value that at least its share of the values does not exceed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ max: 20 }), { minLength: 1 }),
        fc.integer({ max: 100, min: 0 }),
        (values, percent) => {
          const ascending = values.toSorted((a, b) => a - b)
          expect(percentileOf(ascending, percent)).toBe(leastThatReaches(values, percent))
        },
      ),
    )
  })

  it('counts in whole numbers: a tenth of thirty values is three', () => {
    const ascending = Array.from({ length: 30 }, (_, index) => index + 1)
    expect(percentileOf(ascending, 10)).toBe(3)
  })

  it('does not exist for an empty list', () => {
    expect(() => percentileOf([], 50)).toThrow(RangeError)
  })
})

describe('the percentiles of a summary', () => {
  it('lie evenly around the median, in ascending order', () => {
    const percents = percentiles.map(({ percent }) => percent)
    expect(percents).toEqual(percents.toSorted((a, b) => a - b))
    expect(percents.map((percent) => 100 - percent).reverse()).toEqual(percents)
  })

  it('appear from as many values as they need, the median always', () => {
    const given = (count: number) =>
      percentiles.filter(({ leastValues }) => count >= leastValues).map(({ column }) => column)
    expect(given(1)).toEqual(['median'])
    expect(given(veryFew - 1)).toEqual(['median'])
    expect(given(veryFew)).toEqual(['p25', 'median', 'p75'])
    expect(given(few - 1)).toEqual(['p25', 'median', 'p75'])
    expect(given(few)).toEqual(['p10', 'p25', 'median', 'p75', 'p90'])
  })
})
