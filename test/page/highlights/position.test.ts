import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describePosition, describeRange, locateAmount } from '../../../page/highlights/position.ts'
import { percentileOf } from '../../../schema/summary/percentiles.ts'
import { groupOf } from './any-group.ts'

const steps = (count: number) => Array.from({ length: count }, (_, index) => (index + 1) * 10)

const say = (rates: readonly number[], amount: number, unit = 'usd') =>
  describePosition(locateAmount(groupOf(rates), amount), unit).replaceAll('\u00a0', ' ')

describe('the place of an amount', () => {
  it('consists of its percentile and its distance from the median', () => {
    expect(say(steps(100), 230)).toBe('23rd percentile, $270.00 below the median')
    expect(say(steps(100), 725)).toBe('72nd percentile, $225.00 above the median')
    expect(say(steps(100), 500)).toBe('the median')
    expect(say(steps(300), 10)).toBe('lowest of 300, $1,490.00 below the median')
    expect(say(steps(300), 20)).toBe('below the 1st percentile, $1,480.00 below the median')
    expect(say(steps(300), 3000)).toBe('highest of 300, $1,500.00 above the median')
  })

  it('says so beside all published prices', () => {
    expect(say(steps(20), 5)).toBe('below all 20 prices, $95.00 below the median')
    expect(say(steps(20), 500)).toBe('above all 20 prices, $400.00 above the median')
    expect(say([10], 12)).toBe('above its only price, $2.00 above the median')
  })

  it('lacks a percentile among fewer than five prices', () => {
    expect(say([10], 10)).toBe('its only price')
    expect(say([10, 10, 10], 10)).toBe('all 3 prices are equal')
    expect(say([10, 20, 30], 10)).toBe('lowest of 3, $10.00 below the median')
    expect(say([10, 20, 30], 25)).toBe('between its 3 prices, $5.00 above the median')
  })

  it('differs in points among percentages, and without traces of binary fractions among dollars', () => {
    expect(say(steps(10), 45.5, 'percent_of_charges')).toBe('40th percentile, 4.5 points below the median')
    expect(say([0.1, 0.2, 0.3, 0.4, 0.7], 0.4)).toBe('80th percentile, $0.10 above the median')
  })

  it('uses the percentile that the statistics of the page have, by the same definition', () => {
    const amount = fc.integer({ min: 1, max: 60 })
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 300 }), amount, (rates, value) => {
        const ascending = rates.toSorted((a, b) => a - b)
        const { percentile, lower, equal, higher } = locateAmount(groupOf(rates), value)
        expect([lower, equal, higher]).toEqual([
          rates.filter((rate) => rate < value).length,
          rates.filter((rate) => rate === value).length,
          rates.filter((rate) => rate > value).length,
        ])
        if (percentile > 0) expect(percentileOf(ascending, percentile)).toBeLessThanOrEqual(value)
        if (percentile < 100) expect(percentileOf(ascending, percentile + 1)).toBeGreaterThan(value)
      }),
    )
  })

  it('names both ends of several amounts', () => {
    const group = groupOf(steps(100))
    const [least, greatest] = [locateAmount(group, 120), locateAmount(group, 800)]
    expect(describeRange({ least, greatest, count: 3 }, 'usd')).toBe(
      '3 prices from $120.00: 12th percentile, $380.00 below the median, ' +
        'to $800.00: 80th percentile, $300.00 above the median',
    )
    expect(describeRange({ least, greatest: least, count: 2 }, 'usd')).toBe(
      '$120.00: 12th percentile, $380.00 below the median',
    )
  })
})
