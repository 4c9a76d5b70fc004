export type RateUnit = 'usd' | 'usd_per_day' | 'percent_of_charges' | 'unspecified'

const unitOfType: ReadonlyMap<string, RateUnit> = new Map([
  ['negotiated', 'usd'],
  ['derived', 'usd'],
  ['fee schedule', 'usd'],
  ['per diem', 'usd_per_day'],
  ['percentage', 'percent_of_charges'],
])

/**
 * The unit of a rate. A capitation is paid per member for a period that the file does not state, so its unit is always
 * unspecified. Source: CMS schema, `negotiated_type` and `negotiation_arrangement`.
 */
export function rateUnitOf(negotiatedType: string, negotiationArrangement: string): RateUnit {
  if (negotiationArrangement.toLowerCase() === 'capitation') return 'unspecified'
  return unitOfType.get(negotiatedType.toLowerCase()) ?? 'unspecified'
}
