import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoadRequest } from '../../../loader/load-request.ts'
import type { Fields } from '../../builders/in-network-builder.ts'
import { buildFile, buildItem, buildPrice } from '../../builders/in-network-builder.ts'
import type { TestWarehouse } from '../../builders/test-warehouse.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively } from '../naive-flattening.ts'
import { anyFilter, isKept, replacements, replaceOne } from '../published/odd-values.ts'

const groupId = fc.integer({ min: 1, max: 4 }).map((id) => id / 2)

const npis = fc.oneof(
  fc.constant([0]),
  fc.array(fc.integer({ min: 1_000_000_000, max: 1_000_000_005 }), { minLength: 1, maxLength: 4 }),
)

const group = fc.record({
  npi: npis,
  tin: fc.oneof(
    fc.record({
      type: fc.constant('ein'),
      value: fc.constantFrom('01-2345678', '987654321'),
      business_name: fc.string().map((text) => `${text}.`),
    }),
    fc.record({ type: fc.constant('npi'), value: fc.constant('1000000009') }),
  ),
})

const reference = (provider_group_id: number) =>
  fc.record({
    provider_group_id: fc.constant(provider_group_id),
    network_name: fc.array(fc.constantFrom('Zeta', 'Alpha'), { minLength: 1, maxLength: 2 }),
    // Each TIN once per group, because the naive flattening does not merge duplicates.
    provider_groups: fc.uniqueArray(group, { minLength: 1, maxLength: 3, selector: ({ tin }) => JSON.stringify(tin) }),
  })

const price = fc
  .record(
    {
      negotiated_type: fc.constantFrom('negotiated', 'derived', 'fee schedule', 'percentage', 'per diem'),
      negotiated_rate: fc.integer({ min: 1, max: 10_000_000 }).map((cents) => cents / 100),
      expiration_date: fc.constantFrom('9999-12-31', '2027-01-31'),
      setting: fc.constantFrom('inpatient', 'outpatient', 'both'),
      service_code: fc.array(fc.constantFrom('22', '11', 'CSTM-00'), { maxLength: 4 }),
      billing_code_modifier: fc.array(fc.constantFrom('TC', '26'), { maxLength: 3 }),
      additional_information: fc.string({ unit: 'grapheme', minLength: 1 }),
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
        severity_of_illness: fc.constant('2'),
        bundled_codes: fc.array(code, { maxLength: 2 }),
        covered_services: fc.array(code, { maxLength: 2 }),
      },
      { requiredKeys: ['negotiation_arrangement', 'negotiated_rates'] },
    ),
  )
  .map(([itemCode, fields]) => buildItem({ ...itemCode, ...fields }))

const file = fc
  .tuple(fc.tuple(...[0.5, 1, 1.5, 2].map(reference)), fc.array(item, { minLength: 1, maxLength: 4 }))
  .map(([provider_references, in_network]) => buildFile({ provider_references, in_network, plan_id_type: 'hios' }))

const { issuer_name: _, ...schema1Root } = buildFile({ plan_id_type: 'hios' })

/** As in schema 1.x: groups inline, with or without references; no settings, networks or business names. */
const schema1File = fc
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
    tin: fc.record({ type: fc.constant('ein'), value: fc.constantFrom('01-2345678', '987654321') }),
  })
}

function schema1Groups() {
  return fc.uniqueArray(schema1Group(), { minLength: 1, maxLength: 2, selector: ({ tin }) => tin.value })
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

/** Replaces the loaded file and returns its rows; a file without rows is refused. */
async function loadRows(warehouse: TestWarehouse, path: string, options: Partial<LoadRequest> = {}) {
  try {
    await warehouse.load({ files: [path], replace: true, ...options })
    return await warehouse.readRates()
  } catch (error) {
    expect(String(error)).toContain('its files have no rates')
    return []
  }
}

describe('any in-network file', () => {
  it.each([
    ['', file, 'Blue Harbor Health'],
    [' of schema 1.x', schema1File, 'Blue Harbor Services'],
  ] as const)(
    'with odd values%s flattens to the rows of the naive flattening, or to those that a filter keeps',
    async (_schema, anyFile, payer) => {
      await using warehouse = await createTestWarehouse()
      await fc.assert(
        fc.asyncProperty(anyFile, replacements, anyFilter, async (content: Fields, odd, filter) => {
          const hostile = odd.reduce<unknown>((root, [path, value]) => replaceOne(root, path, value), content)
          const text = JSON.stringify(hostile).replace(/"@([^"@]*)@"/g, '$1')
          const path = await warehouse.write('rates.json', text)
          const names = { payer, plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
          const expected = flattenNaively(text, names).filter((row) => isKept(row, filter))
          const kept = filter === null ? undefined : { id: JSON.stringify(filter), ...filter }
          expect(await loadRows(warehouse, path, { maxSkipped: 1, filter: kept })).toEqual(expected)
        }),
        { numRuns: Number(process.env['HOSTILE_FILES'] ?? 60) },
      )
    },
    600_000,
  )

  it('of schema 1.x flattens to the rows of the naive flattening', async () => {
    await using warehouse = await createTestWarehouse()
    await fc.assert(
      fc.asyncProperty(schema1File, async (content) => {
        const text = JSON.stringify(content)
        const path = await warehouse.write('rates.json', text)
        const names = { payer: 'Blue Harbor Services', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
        expect(await loadRows(warehouse, path)).toEqual(flattenNaively(text, names))
      }),
      { numRuns: 40 },
    )
  }, 300_000)

  it('of schema 2.x flattens to the rows of the naive flattening', async () => {
    await using warehouse = await createTestWarehouse()
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        const text = JSON.stringify(content)
        const path = await warehouse.write('rates.json', text)
        const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
        expect(await loadRows(warehouse, path)).toEqual(flattenNaively(text, names))
      }),
      { numRuns: 60 },
    )
  }, 300_000)
})
