import type { Amount } from '../../client/results/amounts.ts'
import { findShape } from '../highlights/price-shapes.ts'
import type { Price } from '../statistics/rate-groups.ts'
import type { Scale } from './scale.ts'

/** Where a price stands in its strip. */
export interface Spot {
  readonly price: Price
  /** The flag whose shape it has; undefined for a dot. */
  readonly shape: string | undefined
  /** In percent of the width. */
  readonly position: number
  /** Steps below the middle of the strip, negative above it. */
  readonly level: number
  /** False for a price that another dot stands for, and for one beyond the scale. */
  readonly isDrawn: boolean
}

/** Equal prices that do not fit above each other: one dot stands for them. */
export interface Pile {
  readonly amount: Amount
  readonly position: number
  readonly count: number
}

/** Where the prices of a strip stand. */
export interface Arrangement {
  /** As the prices, ascending. */
  readonly spots: readonly Spot[]
  readonly piles: readonly Pile[]
  /** Numbers of prices that lie before and after the scale. */
  readonly before: number
  readonly after: number
  /** True if a dot stands for others that are not equal to it. */
  readonly isCrowded: boolean
}

/** Width of a dot on a wide screen, in percent of the width of the strip: from here on, dots do not touch. */
const dotWidth = 0.75

/** Dots of one shape at the same level that are less than this apart, in percent of the width, are one dot. */
const leastGap = 0.25

/** Where an amount is, in percent of the width; what lies beyond the scale is at its end. */
export const positionOf = (rate: number, { from, to }: Scale): number =>
  Math.max(0, Math.min(100, ((rate - from) / (to - from)) * 100))

/** Lists levels from the middle outwards: 0, 1, -1, 2, -2 for five. */
const listLevels = (count: number) =>
  Array.from({ length: count }, (_, index) => (index % 2 === 0 ? -index / 2 : (index + 1) / 2))

/**
 * Arranges ascending prices so that each is a dot of its own: equal prices and others that would cover each other stand
 * above each other, around the middle. Equal prices that are more than the levels are one dot, and a pile.
 *
 * @param levelCount odd
 */
export function arrangePrices(prices: readonly Price[], scale: Scale, levelCount: number): Arrangement {
  const levels = new Map<number, Spot | undefined>(listLevels(levelCount).map((level) => [level, undefined]))
  const piles: Pile[] = []
  const spots = new Map<Price, Spot>()
  const shaped = prices.map((price) => ({ price, shape: findShape(price), position: positionOf(price.rate, scale) }))
  for (const equal of Map.groupBy(shaped, ({ price, shape }) => `${price.amount} ${shape}`).values()) {
    const [first] = equal
    if (first === undefined) continue
    const { rate, amount } = first.price
    const isBeyond = rate < scale.from || rate > scale.to
    const isPile = equal.length > levelCount && !isBeyond
    if (isPile) piles.push({ amount, position: first.position, count: equal.length })
    for (const dot of equal) {
      const isAlone = !isPile && !isBeyond
      const level = isAlone ? chooseLevel(levels, dot.position) : 0
      const isDrawn = isAlone ? hasRoom(levels, level, dot) : isPile && dot === first
      const spot = { ...dot, level, isDrawn }
      spots.set(dot.price, spot)
      if (isDrawn) levels.set(level, spot)
    }
  }
  const drawn = [...spots.values()].filter(({ isDrawn }) => isDrawn).length
  const { before, after } = findBeyond(prices, scale)
  const piled = piles.reduce((sum, { count }) => sum + count - 1, 0)
  return {
    spots: prices.flatMap((price) => spots.get(price) ?? []),
    piles,
    before: before.length,
    after: after.length,
    isCrowded: drawn + piled + before.length + after.length < prices.length,
  }
}

type Levels = ReadonlyMap<number, Spot | undefined>

const gapAt = (levels: Levels, level: number, position: number) =>
  position - (levels.get(level)?.position ?? Number.NEGATIVE_INFINITY)

/** Returns the level nearest to the middle at which a dot touches no other, else the one where it covers least. */
function chooseLevel(levels: Levels, position: number): number {
  const free = [...levels.keys()].find((level) => gapAt(levels, level, position) >= dotWidth)
  const widest = () =>
    [...levels.keys()].reduce((a, b) => (gapAt(levels, b, position) > gapAt(levels, a, position) ? b : a))
  return free ?? widest()
}

/** True unless the dot would cover others at all levels; the first of a shape is drawn over dots of other shapes. */
function hasRoom(levels: Levels, level: number, { position, shape }: Pick<Spot, 'position' | 'shape'>): boolean {
  if (gapAt(levels, level, position) >= leastGap) return true
  return shape !== undefined && ![...levels.values()].some((last) => last?.shape === shape)
}

/** Returns the amounts of ascending prices that lie before and after the scale. */
export function findBeyond(prices: readonly Price[], { from, to }: Scale) {
  const before = prices.filter(({ rate }) => rate < from)
  return { before, after: prices.filter(({ rate }) => rate > to) }
}
