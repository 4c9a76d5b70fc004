import { formatNumber } from '../../../schema/phrases.ts'
import { flagsOf } from '../plot/price-shapes.ts'
import type { RateGroup } from '../rate-groups.ts'

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
