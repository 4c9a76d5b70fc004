import type { SampleService } from './sample-codes.ts'

/** The items and prices of the sample files, in the fields of the CMS in-network file, schema 2.x. */

/** Which provider groups a file's prices pay, and how well. */
export interface PriceLevel {
  /** What the payer pays, relative to the average amount. */
  readonly level: number
  /** The provider group ids of the file. */
  readonly groupIds: readonly number[]
}

const forever = { expiration_date: '9999-12-31' }
const inStay = { billing_class: 'institutional', setting: 'inpatient' }
const codes2026 = { billing_code_type_version: '2026' }

/** Revenue codes for rooms, paid per day, and for goods, paid as a percentage of charges. */
const rooms = new Set(['0120', '200'])
const goods = new Set(['0278', '0636'])

/** A service on a fee list. The payer has two price levels, and every other group gets the better one. */
export function listItem(service: SampleService, { level, groupIds }: PriceLevel): object {
  const tiers = [level, level * 1.08].map((tier, remainder) => ({
    provider_references: groupIds.filter((_, index) => index % 2 === remainder),
    negotiated_prices: pricesOf(service, tier),
  }))
  return {
    negotiation_arrangement: 'ffs',
    name: service.name,
    billing_code_type: service.type,
    billing_code_type_version: service.type === 'MS-DRG' ? '44' : '2026',
    billing_code: service.code,
    description: service.name,
    negotiated_rates: tiers.filter(({ provider_references }) => provider_references.length > 0),
  }
}

/** A percentage of charges for everything without its own rate: every code of every type. */
export function wildcardItem({ groupIds }: PriceLevel): object {
  const price = {
    negotiated_type: 'percentage',
    negotiated_rate: 48.5,
    expiration_date: '2027-12-31',
    service_code: ['CSTM-00'],
    billing_class: 'both',
    setting: 'both',
  }
  return {
    negotiation_arrangement: 'ffs',
    name: 'Everything else',
    billing_code_type: 'CSTM-ALL',
    ...codes2026,
    billing_code: 'CSTM-00',
    description: 'Services without their own rate',
    negotiated_rates: [{ provider_references: groupIds, negotiated_prices: [price] }],
  }
}

/** Surgery and stay at one bundled rate, at the file's first hospital. */
export function bundleItem({ groupIds, level }: PriceLevel): object {
  const price = {
    negotiated_type: 'derived',
    negotiated_rate: roundTo(24_310.5 * level, 2),
    expiration_date: '2027-06-30',
    ...inStay,
    additional_information: 'Includes ninety days of care after the stay.',
  }
  return {
    negotiation_arrangement: 'bundle',
    name: 'Knee replacement, all included',
    billing_code_type: 'MS-DRG',
    billing_code_type_version: '44',
    billing_code: '470',
    description: 'Surgery, stay and care after it',
    negotiated_rates: [{ provider_references: groupIds.slice(0, 1), negotiated_prices: [price] }],
    bundled_codes: [{ billing_code_type: 'CPT', ...codes2026, billing_code: '27447', description: 'Knee replacement' }],
  }
}

function pricesOf(service: SampleService, level: number): readonly object[] {
  const amount = roundTo(service.dollars * level, 2)
  switch (service.type) {
    case 'MS-DRG':
      return [{ negotiated_type: 'negotiated', negotiated_rate: amount, ...forever, ...inStay }]
    case 'RC':
      return [departmentPrice(service, amount, level)]
    default:
      return officePrices(service, amount)
  }
}

function departmentPrice({ code }: SampleService, amount: number, level: number): object {
  if (rooms.has(code)) return { negotiated_type: 'per diem', negotiated_rate: amount, ...forever, ...inStay }
  const rate = goods.has(code)
    ? { negotiated_type: 'percentage', negotiated_rate: roundTo(52.5 * level, 1) }
    : { negotiated_type: 'negotiated', negotiated_rate: amount }
  return { ...rate, ...forever, billing_class: 'institutional', setting: 'outpatient' }
}

/** A test is paid in full, or only for its interpretation (modifier 26). */
function officePrices({ hasReading }: SampleService, amount: number): readonly object[] {
  const whole = {
    negotiated_type: 'fee schedule',
    negotiated_rate: amount,
    ...forever,
    service_code: ['11', '22'],
    billing_class: 'professional',
    setting: 'outpatient',
  }
  if (!hasReading) return [whole]
  const reading = { negotiated_type: 'negotiated', negotiated_rate: roundTo(amount * 0.26, 2) }
  return [whole, { ...whole, ...reading, billing_code_modifier: ['26'] }]
}

function roundTo(amount: number, decimals: number): number {
  return Math.round(amount * 10 ** decimals) / 10 ** decimals
}
