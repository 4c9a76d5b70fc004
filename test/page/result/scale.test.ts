import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeScale } from '../../../page/result/scale.ts'

describe('the scale of a plot', () => {
  it.each([
    [
      [83.72, 99.36],
      [85, 90, 95],
    ],
    [
      [0, 100],
      [0, 50, 100],
    ],
    [
      [12, 1900],
      [0, 500, 1000, 1500],
    ],
    [
      [0.21, 0.29],
      [0.22, 0.24, 0.26, 0.28],
    ],
    [[250], [240, 250, 260]],
  ])('of %j has the round numbers %j', (values, ticks) => {
    expect(makeScale(values).ticks).toEqual(ticks)
  })

  it('holds all values, and three to eight round numbers', () => {
    const rate = fc.double({ min: -1e6, max: 1e7, noNaN: true }).map((value) => Math.round(value * 1e4) / 1e4)
    fc.assert(
      fc.property(fc.array(rate, { minLength: 1 }), (values) => {
        const { from, to, ticks } = makeScale(values)
        for (const value of values) expect(value >= from && value <= to).toBe(true)
        for (const tick of ticks) expect(tick >= from && tick <= to).toBe(true)
        expect(ticks.length).toBeGreaterThanOrEqual(3)
        expect(ticks.length).toBeLessThanOrEqual(8)
      }),
    )
  })

  it('is there without values', () => {
    expect(makeScale([])).toEqual({ from: 0, to: 1, ticks: [] })
  })
})
