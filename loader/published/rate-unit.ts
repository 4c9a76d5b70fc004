export type RateUnit = 'usd' | 'usd_per_day' | 'percent_of_charges' | 'unspecified'

const unitOfType: ReadonlyMap<string, RateUnit> = new Map([
  ['negotiated', 'usd'],
  ['derived', 'usd'],
  ['fee schedule', 'usd'],
  ['per diem', 'usd_per_day'],
  ['percentage', 'percent_of_charges'],
])

/**
 * What a rate is a number of. A capitation is paid per member, and the file does not say for how long, so its unit stays
 * open whatever the type. Source: CMS schema, `negotiated_type` and `negotiation_arrangement`.
 */
export function rateUnitOf(negotiatedType: string, negotiationArrangement: string): RateUnit {
  if (negotiationArrangement.toLowerCase() === 'capitation') return 'unspecified'
  return unitOfType.get(negotiatedType.toLowerCase()) ?? 'unspecified'
}
