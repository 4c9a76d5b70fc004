import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeBulkScale, makeScale } from '../../../page/plot/scale.ts'

const rate = fc.double({ min: -1e6, max: 1e7, noNaN: true }).map((value) => Math.round(value * 1e4) / 1e4)

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
  ])('marks the round numbers of %j: %j', (values, ticks) => {
    expect(makeScale(values).ticks).toEqual(ticks)
  })

  it('begins at zero if the values are near it, and otherwise at a number that can be said', () => {
    expect(makeScale([12, 1900]).from).toBe(0)
    expect(makeScale([0, 0.5]).from).toBe(0)
    expect(makeScale([83.72, 99.36]).from).toBe(83)
    expect(makeScale([-5, 100]).from).toBeLessThan(-5)
    expect(makeScale([287, 300], true).from).toBe(0)
  })

  it('holds all values, and three to eight round numbers', () => {
    fc.assert(
      fc.property(fc.array(rate, { minLength: 1 }), fc.boolean(), (values, beginsAtZero) => {
        const { from, to, ticks } = makeScale(values, beginsAtZero)
        for (const value of values) expect(value >= from && value <= to).toBe(true)
        for (const tick of ticks) expect(tick >= from && tick <= to).toBe(true)
        expect(ticks.length).toBeGreaterThanOrEqual(3)
        expect(ticks.length).toBeLessThanOrEqual(8)
      }),
    )
  })

  it('spans a range without values', () => {
    expect(makeScale([])).toEqual({ from: 0, to: 1, ticks: [] })
    expect(makeBulkScale([])).toEqual({ from: 0, to: 1, ticks: [] })
  })
})

describe('the scale of groups', () => {
  const steps = (count: number, from: number, step: number) =>
    Array.from({ length: count }, (_, index) => from + index * step)

  it('leaves out values that are far from all others of their group', () => {
    const bulk = steps(40, 300, 5)
    expect(makeBulkScale([[...bulk, 1900, 2400]])).toEqual(makeScale(bulk))
    expect(makeBulkScale([[0.01, ...bulk]])).toEqual(makeScale(bulk))
  })

  it('shows them if they take little room', () => {
    const group = [...steps(40, 300, 5), 530]
    expect(makeBulkScale([group])).toEqual(makeScale(group))
  })

  it('leaves out no group with a level of its own', () => {
    const groups = [steps(40, 300, 1), steps(8, 2000, 1)]
    expect(makeBulkScale(groups)).toEqual(makeScale(groups.flat()))
  })

  it('keeps the values around those that most are equal to', () => {
    const equal = steps(40, 100, 0)
    expect(makeBulkScale([[...equal, 120, 900]]).to).toBeLessThan(130)
  })

  it('begins at zero if no group has enough values for a distribution', () => {
    expect(makeBulkScale([[287], [290, 295]]).from).toBe(0)
    expect(makeBulkScale([[287], steps(5, 290, 1)]).from).toBeGreaterThan(280)
  })

  it('shows at least the middle half of each group', () => {
    const group = fc.array(rate, { minLength: 1, maxLength: 40 }).map((values) => values.toSorted((a, b) => a - b))
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 4 }), (groups) => {
        const { from, to } = makeBulkScale(groups)
        for (const values of groups) {
          const shown = values.filter((value) => value >= from && value <= to).length
          expect(shown * 2).toBeGreaterThanOrEqual(values.length)
        }
      }),
    )
  })
})
