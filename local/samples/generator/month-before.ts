import { draw } from './draws.ts'
import type { InNetworkFile, InNetworkItem, NegotiatedPrice, NegotiatedRate } from './in-network-file.ts'

/** Share of the rates that a payer raised with its new month. */
const raisedShare = 0.35

/** Share of the rates that are new in that month. */
const addedShare = 0.02

/** Share of the professional rates whose price of a reduced service (modifier 52) the new month no longer has. */
const removedShare = 0.03

/**
 * Makes the file that a payer published a month before another one. Some amounts were lower, a few prices did not exist
 * yet, and a few others still did.
 */
export function makeMonthBefore(file: InNetworkFile): InNetworkFile {
  const name = `${file.plan_name}|${file.in_network.length}`
  return {
    ...file,
    last_updated_on: monthBefore(file.last_updated_on),
    in_network: file.in_network.map((item, index) => ({
      ...item,
      negotiated_rates: ratesBefore(item, `${name}|${index}`),
    })),
  }
}

/** @param day `YYYY-MM-DD`, not in January */
function monthBefore(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-')
  if (!(Number(month) > 1)) throw new RangeError(`the month before ${day} is in another year`)
  return [year, String(Number(month) - 1).padStart(2, '0'), date].join('-')
}

function ratesBefore({ negotiated_rates: rates }: InNetworkItem, item: string): readonly NegotiatedRate[] {
  return rates.flatMap((rate, index) => {
    const name = `${item}|${index}`
    // An item without prices would not be valid, so its first rate stays.
    if (index > 0 && draw('added', name) < addedShare) return []
    const raise = draw('raised', name) < raisedShare ? 1.02 + 0.06 * draw('raise', name) : 1
    const prices = rate.negotiated_prices.map((price) => ({
      ...price,
      negotiated_rate: amountBefore(price, raise),
    }))
    const [first] = prices
    const isReduced =
      first?.billing_class === 'professional' &&
      first.billing_code_modifier === undefined &&
      draw('removed', name) < removedShare
    const reduced = isReduced
      ? [{ ...first, negotiated_rate: round(first.negotiated_rate / 2, 100), billing_code_modifier: ['52'] }]
      : []
    return [{ ...rate, negotiated_prices: [...prices, ...reduced] }]
  })
}

/** Returns the amount of the month before. Percentages and placeholders do not change from month to month. */
function amountBefore({ negotiated_type: type, negotiated_rate: rate }: NegotiatedPrice, raise: number): number {
  return type === 'percentage' || rate <= 1 || rate >= 99_999 ? rate : round(rate / raise, 100)
}

const round = (amount: number, units: number) => Math.round(amount * units) / units
