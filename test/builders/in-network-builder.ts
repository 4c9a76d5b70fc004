/** Builds small in-network files for tests; fields that a test does not set have ordinary values. */

export type Fields = Readonly<Record<string, unknown>>

export function buildFile(fields: Fields = {}): Fields {
  return {
    reporting_entity_name: 'Blue Harbor Services',
    reporting_entity_type: 'health insurance issuer',
    issuer_name: 'Blue Harbor Health',
    plan_name: 'Harbor PPO Gold',
    plan_id_type: 'HIOS',
    plan_id: '0123456789',
    plan_market_type: 'individual',
    last_updated_on: '2026-11-01',
    version: '2.0.0',
    provider_references: [buildReference()],
    in_network: [buildItem()],
    ...fields,
  }
}

export function buildReference(fields: Fields = {}): Fields {
  return { provider_group_id: 1, network_name: ['Harbor Choice'], provider_groups: [buildGroup()], ...fields }
}

export function buildGroup(fields: Fields = {}): Fields {
  return { npi: [1000000001], tin: { type: 'ein', value: '01-2345678', business_name: 'Pier Clinic' }, ...fields }
}

/** An item with one rate, which has these `prices` and `references`. */
export function buildItem({ prices = [buildPrice()], references = [1], ...fields }: Fields = {}): Fields {
  return {
    negotiation_arrangement: 'ffs',
    name: 'Visit',
    billing_code_type: 'CPT',
    billing_code_type_version: '2026',
    billing_code: '99213',
    description: 'A visit',
    negotiated_rates: [{ provider_references: references, negotiated_prices: prices }],
    ...fields,
  }
}

export function buildPrice(fields: Fields = {}): Fields {
  return {
    negotiated_type: 'negotiated',
    negotiated_rate: 100.5,
    expiration_date: '9999-12-31',
    billing_class: 'professional',
    setting: 'outpatient',
    service_code: ['11'],
    ...fields,
  }
}
