import fc from 'fast-check'
import { buildFile, buildItem, buildPrice, type Fields } from '../../builders/in-network-builder.ts'
import { confusableWords } from '../decode/odd-values.ts'

/** Texts that must not be taken for each other, or for a missing value. */
const anyText = fc.oneof(fc.constantFrom(...confusableWords), fc.string(), fc.string({ unit: 'grapheme' }))

/** One id is a fraction, which only parsing reads. */
const groupIds = [1, 2, 3, 0.5]

const groupId = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(1, 2, 3) }, { weight: 1, arbitrary: fc.constant(0.5) })

const npis = fc.oneof(
  fc.constant([0]),
  fc.array(fc.integer({ min: 1_000_000_000, max: 1_000_000_005 }), { minLength: 1, maxLength: 4 }),
)

const tin = fc.oneof(
  fc.record(
    {
      type: fc.constant('ein'),
      value: fc.constantFrom('01-2345678', '987654321'),
      business_name: anyText,
    },
    { requiredKeys: ['type', 'value'] },
  ),
  fc.record({ type: fc.constant('npi'), value: fc.constant('1000000009') }),
)

const plainTin = fc.record({ type: fc.constant('ein'), value: fc.constantFrom('01-2345678', '987654321') })

const group = fc.record({ npi: npis, tin })

const reference = (provider_group_id: number) =>
  fc.record({
    provider_group_id: fc.constant(provider_group_id),
    network_name: fc.array(fc.oneof(fc.constantFrom('Zeta', 'Alpha'), anyText), { minLength: 1, maxLength: 2 }),
    // A TIN that is listed twice in a group is one list: the plain loops know nothing of that.
    provider_groups: fc.uniqueArray(group, {
      minLength: 1,
      maxLength: 3,
      selector: (each) => JSON.stringify(each.tin),
    }),
  })

const price = fc
  .record(
    {
      negotiated_type: fc.constantFrom('negotiated', 'derived', 'fee schedule', 'percentage', 'per diem'),
      negotiated_rate: fc.integer({ min: 1, max: 10_000_000 }).map((cents) => cents / 100),
      expiration_date: fc.constantFrom('9999-12-31', '2027-01-31'),
      setting: fc.constantFrom('inpatient', 'outpatient', 'both'),
      service_code: fc.array(fc.oneof(fc.constantFrom('22', '11', 'CSTM-00'), anyText), { maxLength: 4 }),
      billing_code_modifier: fc.array(fc.oneof(fc.constantFrom('TC', '26'), anyText), { maxLength: 3 }),
      additional_information: anyText,
    },
    { requiredKeys: ['negotiated_type', 'negotiated_rate', 'setting'] },
  )
  .map(buildPrice)

const code = fc.record({
  billing_code_type: fc.constantFrom('CPT', 'RC', 'MS-DRG', 'CSTM-ALL'),
  billing_code_type_version: fc.constant('2026'),
  billing_code: fc.constantFrom('450', '7', '99213', 'CSTM-00'),
})

const rate = fc.record({
  provider_references: fc.uniqueArray(groupId, { minLength: 1 }),
  negotiated_prices: fc.array(price, { minLength: 1, maxLength: 3 }),
})

const item = fc
  .tuple(
    code,
    fc.record(
      {
        negotiation_arrangement: fc.constantFrom('ffs', 'bundle', 'capitation'),
        negotiated_rates: fc.array(rate, { minLength: 1, maxLength: 3 }),
        severity_of_illness: anyText,
        name: anyText,
        description: anyText,
        bundled_codes: fc.array(code, { maxLength: 2 }),
        covered_services: fc.array(code, { maxLength: 2 }),
      },
      { requiredKeys: ['negotiation_arrangement', 'negotiated_rates'] },
    ),
  )
  .map(([itemCode, fields]) => buildItem({ ...itemCode, ...fields }))

/** A file of schema 2.x. */
export const file = fc
  .tuple(fc.tuple(...groupIds.map(reference)), fc.array(item, { minLength: 1, maxLength: 4 }))
  .map(([provider_references, in_network]) => buildFile({ provider_references, in_network, plan_id_type: 'hios' }))

const { issuer_name: _, ...schema1Root } = buildFile({ plan_id_type: 'hios' })

/** A file of schema 1.x: inline groups, with references or without; no settings or networks. */
export const schema1File = fc
  .tuple(
    fc.array(schema1Item(), { minLength: 1, maxLength: 4 }),
    fc.tuple(...[0.5, 1].map(schema1Reference)),
    fc.boolean(),
  )
  .map(([in_network, provider_references, isAfter]) => {
    const { provider_references: _references, in_network: _items, ...root } = schema1Root
    return isAfter
      ? { in_network, ...root, provider_references, version: '1.0.0' }
      : { provider_references, ...root, in_network }
  })

function schema1Group() {
  return fc.record({
    npi: npis,
    tin: fc.oneof({ weight: 4, arbitrary: plainTin }, { weight: 1, arbitrary: tin }),
  })
}

function schema1Groups() {
  return fc.uniqueArray(schema1Group(), { minLength: 1, maxLength: 2, selector: (each) => JSON.stringify(each.tin) })
}

function schema1Reference(provider_group_id: number) {
  return fc.record({ provider_group_id: fc.constant(provider_group_id), provider_groups: schema1Groups() })
}

function schema1Item() {
  const schema1Price = price.map(({ setting: _setting, ...fields }: Fields) => fields)
  const prices = fc.array(schema1Price, { minLength: 1, maxLength: 2 })
  const schema1Rate = fc.oneof(
    fc.record({ provider_groups: schema1Groups(), negotiated_prices: prices }),
    fc.record({
      provider_references: fc.uniqueArray(fc.constantFrom(0.5, 1), { minLength: 1 }),
      provider_groups: schema1Groups(),
      negotiated_prices: prices,
    }),
  )
  return fc
    .array(schema1Rate, { minLength: 1, maxLength: 3 })
    .map((negotiated_rates) => buildItem({ negotiated_rates }))
}
