import type { RateGroup } from '../../../page/statistics/rate-groups.ts'
import { groupPrices } from '../../../page/statistics/rate-groups.ts'

/** Returns the prices of one plan, each of a TIN of its own. */
export function groupOf(rates: readonly number[], facts: Readonly<Record<string, unknown>> = {}): RateGroup {
  const rows = rates.map((rate, index) => ({
    payer: 'Acme',
    plan: 'Gold',
    negotiated_type: 'negotiated',
    negotiated_rate: rate,
    npi: BigInt(1_003_000_000 + index),
    tin_type: 'ein',
    tin_value: String(120_000_000 + index),
    price_id: `price-${index}`,
    ...facts,
  }))
  const [group] = groupPrices(rows, 'tins')
  if (group === undefined) throw new RangeError('a group needs a price')
  return group
}
