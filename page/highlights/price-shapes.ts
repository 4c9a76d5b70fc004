import { formatNumber } from '../../schema/phrases.ts'
import type { Price, RateGroup } from '../statistics/rate-groups.ts'

/** A shape for prices with a flag, so that they differ from others without colour, and the words for it. */
interface FlagShape {
  /** A path around 0, 0, in pixels. */
  readonly path: string
  readonly words: string
}

/** The shapes of flags. A price with several flags has the first of their shapes. */
export const flagShapes: Readonly<Record<string, FlagShape>> = {
  placeholder: { path: 'M-4.5-4.5 4.5 4.5M-4.5 4.5 4.5-4.5', words: 'placeholder' },
  outlier_high: { path: 'M0-5.5 5.5 4.5-5.5 4.5Z', words: 'far above all others' },
  outlier_low: { path: 'M0 5.5 5.5-4.5-5.5-4.5Z', words: 'far below all others' },
  expired: { path: 'M-4.5 0A4.5 4.5 0 1 0 4.5 0 4.5 4.5 0 1 0-4.5 0Z', words: 'expired when it was published' },
  blanket: { path: 'M-4-4H4V4H-4Z', words: 'the same amount for many codes' },
}

/** The flags with a shape, the one that says most first. */
export const shapeNames = Object.keys(flagShapes)

/** Returns the flags that all rows of a price have. */
export function flagsOf({ rows }: Price): readonly string[] {
  const [first = [], ...others] = rows.map(({ flags }) => (Array.isArray(flags) ? flags.map(String) : []))
  return first.filter((flag) => others.every((flags) => flags.includes(flag)))
}

/** Returns the flag whose shape a price has; undefined for a price without flags. */
export function findShape(price: Price): string | undefined {
  const flags = flagsOf(price)
  return shapeNames.find((flag) => flags.includes(flag))
}

/** Describes why a price may not be usual; empty without flags. */
export const describeFlags = (price: Price): string =>
  flagsOf(price)
    .map((flag) => flagShapes[flag]?.words ?? flag)
    .join(', ')

/** Says how many prices had expired: they count, because the amount is a rate, but the reader must know. */
export function describeExpired(groups: readonly RateGroup[]): string | undefined {
  const prices = groups.flatMap((group) => group.prices)
  const expired = prices.filter((price) => flagsOf(price).includes('expired')).length
  if (expired === 0) return undefined
  const count =
    expired === prices.length
      ? `All ${formatNumber(expired)}`
      : `${formatNumber(expired)} of ${formatNumber(prices.length)}`
  return `${count} prices had expired when they were published, and count`
}
