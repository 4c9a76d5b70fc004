import { describe, expect, it } from 'vitest'
import { arrangePrices } from '../../../page/plot/spots.ts'
import { isListed, labelStrip } from '../../../page/plot/strip-labels.ts'
import { describePrice, describePrices, labelPrices } from '../../../page/plot/strip-words.ts'
import { at } from '../../../schema/at.ts'
import { groupOf } from '../highlights/any-group.ts'

const scale = { from: 0, to: 200, ticks: [0, 100, 200] }

const times = (count: number, rate: number) => Array.from({ length: count }, () => rate)
const steps = Array.from({ length: 21 }, (_, index) => 90 + index)

/** The texts that the drawing of prices has. */
function textsOf(rates: readonly number[]) {
  const group = groupOf(rates)
  const { labels, hasUnlabelled } = labelStrip(group, 'usd', scale, arrangePrices(group.prices, scale, 7))
  return { texts: labels.map(({ text, side }) => `${side} ${text}`), hasUnlabelled }
}

describe('the words of a strip', () => {
  it('list the amounts with their counts if the prices or their amounts are few', () => {
    const say = (rates: readonly number[]) => labelPrices(groupOf(rates), 'usd', scale)
    expect(say([...times(6, 92), ...times(2, 99.36)])).toBe('8 prices: $92.00 × 6, $99.36 × 2')
    expect(say([...times(30, 92), ...times(10, 95), 99])).toBe('41 prices: $92.00 × 30, $95.00 × 10, $99.00')
    expect(say(times(29, 111.91))).toBe('29 prices, all $111.91')
    expect(say([287])).toBe('1 price: $287.00')
  })

  it('name the middle half beside a drawing with the median, and all quartiles without one', () => {
    const group = groupOf([...steps, 1900])
    expect(labelPrices(group, 'usd', scale)).toBe(
      '22 prices · half $95.00 to $106.00; 1 above the axis, up to $1,900.00',
    )
    expect(describePrices(group, 'usd', scale)).toBe(
      '22 prices, median $100.00, half between $95.00 and $106.00; 1 above the axis, up to $1,900.00',
    )
  })

  it('need eleven prices and four amounts for quartiles', () => {
    const ten = steps.slice(0, 10)
    expect(isListed(groupOf(ten))).toBe(true)
    expect(isListed(groupOf([...ten, 100]))).toBe(false)
    expect(isListed(groupOf([...times(20, 90), 91, 92]))).toBe(true)
    expect(isListed(groupOf([...times(20, 90), 91, 92, 93]))).toBe(false)
  })

  it('count equal prices, so that each step of the keyboard says something new', () => {
    const group = groupOf([...times(3, 92), 95])
    const said = group.prices.map((price) => describePrice(price, group, 'usd'))
    expect(said[1]).toMatch(/^\$92\.00 · 2 of 3 at this amount · .*NPI/)
    expect(at(said, 3)).not.toContain('at this amount')
    expect(new Set(said).size).toBe(4)
  })
})

describe('the texts in the drawing of a strip', () => {
  it('name the median, and the counts of dots for equal prices where there is room', () => {
    expect(textsOf(steps)).toEqual({ texts: ['above $100.00'], hasUnlabelled: false })
    expect(textsOf([20, ...steps, ...times(40, 100), ...times(9, 150)])).toEqual({
      texts: ['above $100.00 × 41', 'above × 9'],
      hasUnlabelled: false,
    })
    expect(textsOf([...steps, ...times(40, 100), ...times(9, 103)])).toEqual({
      texts: ['above $100.00 × 41'],
      hasUnlabelled: true,
    })
  })

  it('name few amounts on the side that is free', () => {
    expect(textsOf(times(29, 100)).texts).toEqual(['behind $100.00 × 29'])
    expect(textsOf([100, 100, 104]).texts).toEqual(['before $100.00', 'behind $104.00'])
    expect(textsOf([2, 198]).texts).toEqual(['behind $2.00', 'before $198.00'])
    expect(textsOf([100, ...times(8, 104), 110])).toEqual({
      texts: ['before $100.00', 'behind $110.00'],
      hasUnlabelled: true,
    })
    expect(textsOf([100, ...times(8, 104), 130])).toEqual({
      texts: ['before $100.00', 'behind × 8', 'behind $130.00'],
      hasUnlabelled: false,
    })
  })
})
