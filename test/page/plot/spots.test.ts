import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrangePrices } from '../../../page/plot/spots.ts'
import { groupOf } from '../highlights/any-group.ts'

const scale = { from: 0, to: 100, ticks: [0, 50, 100] }

const arrange = (rates: readonly number[], flags: readonly string[] = []) =>
  arrangePrices(groupOf(rates, { flags }).prices, scale, 7)

const times = (count: number, rate: number) => Array.from({ length: count }, () => rate)

describe('the arrangement of the prices of a strip', () => {
  it('stacks equal prices around the middle as far as they fit', () => {
    const { spots, piles, isCrowded } = arrange([...times(4, 20), 60])
    expect(spots.map(({ position, level, isDrawn }) => [position, level, isDrawn])).toEqual([
      [20, 0, true],
      [20, 1, true],
      [20, -1, true],
      [20, 2, true],
      [60, 0, true],
    ])
    expect([piles, isCrowded]).toEqual([[], false])
  })

  it('makes one dot and a pile of equal prices that do not fit', () => {
    const { spots, piles, isCrowded } = arrange([...times(29, 20), 60])
    expect(piles).toEqual([{ amount: 20, position: 20, count: 29 }])
    expect(spots.filter(({ isDrawn }) => isDrawn).map(({ position }) => position)).toEqual([20, 60])
    expect(isCrowded).toBe(false)
  })

  it('keeps the shapes of flagged prices beside a pile of others', () => {
    const flagged = groupOf(times(2, 20), { flags: ['expired'] }).prices
    const { spots, piles } = arrangePrices([...groupOf(times(9, 20)).prices, ...flagged], scale, 7)
    expect(piles).toEqual([{ amount: 20, position: 20, count: 9 }])
    const drawn = spots.filter(({ isDrawn }) => isDrawn)
    expect(drawn.map(({ shape }) => shape)).toEqual([undefined, 'expired', 'expired'])
    expect(new Set(drawn.map(({ level }) => level)).size).toBe(3)
  })

  it('tells that dots stand for others where many amounts are close together', () => {
    const dense = Array.from({ length: 200 }, (_, index) => 20 + index / 1000)
    const { spots, isCrowded } = arrange(dense)
    expect(isCrowded).toBe(true)
    expect(spots.filter(({ isDrawn }) => isDrawn).length).toBe(7)
  })

  it('accounts for each price, and draws no two of a shape at one position', () => {
    const rates = fc.array(
      fc.integer({ min: -20, max: 240 }).map((value) => value / 2),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(rates, fc.constantFrom([], ['expired']), (unsorted, flags) => {
        const sorted = unsorted.toSorted((a, b) => a - b)
        const { spots, piles, isCrowded } = arrange(sorted, flags)
        expect(spots.map(({ price }) => price.rate)).toEqual(sorted)
        const drawn = spots.filter(({ isDrawn }) => isDrawn)
        const positions = drawn.map(({ position, level }) => `${position} ${level}`)
        expect(new Set(positions).size).toBe(positions.length)
        const piled = piles.reduce((sum, { count }) => sum + count - 1, 0)
        const within = sorted.filter((rate) => rate >= scale.from && rate <= scale.to)
        // Half a dollar apart on this scale is more than the least gap: nothing is crowded.
        expect([drawn.length + piled, isCrowded]).toEqual([within.length, false])
      }),
    )
  })
})
